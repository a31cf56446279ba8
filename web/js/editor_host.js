// Fetches the editor when it is needed for the first time: it is a third of the page, and who reads needs none of it.

const url = () => {
  const file = new URL("editor.js", document.baseURI);
  const version = document.querySelector('meta[name="engine-version"]')?.content;
  if (version) file.searchParams.set("v", version);
  return file;
};

/** Rejects where the editor can't be had; the text area stays then. */
export async function mount(host, text, label, words, change, undo, redo, accept, breakpoint) {
  const { mount } = await import(url());
  const known = { commands: [], directives: [], lua: [] };
  const editor = mount(host, { text, label, words: () => known, on: { change, undo, redo, accept, breakpoint } });
  editor.know = (json) => Object.assign(known, JSON.parse(json));
  editor.know(words);
  return editor;
}
