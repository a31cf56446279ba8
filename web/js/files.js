// Files and the clipboard. Nothing is sent anywhere: files are made and read in the page.

/** Saves a text as a file of the reader's. */
export function download(name, text) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Lets the reader choose a text file; answers its text, or nothing where there is none, or it is no text of at most `bytesMax`. */
export function pick(bytesMax) {
  return new Promise((resolve) => {
    const input = document.createElement("input");
    input.type = "file";
    input.accept = ".md,.txt,.redis,.lua,text/*";
    input.oncancel = () => resolve(undefined);
    input.onchange = async () => {
      const [file] = input.files;
      resolve(file && file.size <= bytesMax ? await file.text().catch(() => undefined) : undefined);
    };
    input.click();
  });
}

/** Whether the text is on the clipboard now. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // Where the clipboard is refused, the link can be copied by hand.
  }
}
