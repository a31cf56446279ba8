// The editor: CodeMirror with the scenario's notation, in a shadow root, whose styles the page's security policy
// allows. Loaded when the story is edited for the first time; until then, and where it does not load, there is a
// plain text area. It keeps no history: undo and redo are the page's, which knows the other changes too.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, EditorView, WidgetType, drawSelection, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { breakpointGutter, showBreakpoints, toggleAtCursor } from "./breakpoints.js";
import { completionSource } from "./complete.js";
import { notation } from "./notation.js";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "600" },
  { tag: tags.labelName, color: "var(--ink)", fontWeight: "700" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--added)" },
  { tag: tags.number, color: "var(--expired)" },
  { tag: [tags.variableName, tags.propertyName], color: "var(--changed)" },
  { tag: tags.standard(tags.variableName), color: "var(--accent)" },
  { tag: [tags.comment, tags.quote], color: "var(--ink-faint)" },
  { tag: tags.comment, fontStyle: "italic" },
  { tag: tags.meta, color: "var(--ink-soft)", fontWeight: "600" },
  { tag: tags.invalid, color: "var(--error)" },
  { tag: tags.heading, fontWeight: "700" },
  { tag: tags.strong, fontWeight: "700" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.link, color: "var(--accent)" },
]);

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "var(--paper)", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-scroller": { font: "inherit", lineHeight: "inherit" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0 40px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--ink-faint)", border: "0" },
  ".cm-breakpoints .cm-gutterElement": { cursor: "default", padding: "0 0 0 4px", width: "16px" },
  ".cm-breakpoint": { color: "transparent", cursor: "pointer" },
  ".cm-gutterElement:hover > .cm-breakpoint": { color: "var(--line-strong)" },
  ".cm-gutterElement > .cm-breakpoint.is-set": { color: "var(--removed)" },
  ".cm-present": { backgroundColor: "var(--accent-soft)" },
  ".cm-tooltip": { backgroundColor: "var(--paper)", border: "1px solid var(--line-strong)", borderRadius: "6px", color: "var(--ink)", maxWidth: "min(420px, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { font: "inherit", maxHeight: "14em" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionDetail": { fontStyle: "normal", color: "inherit", opacity: "0.75" },
  ".cm-completionInfo": { padding: "6px 8px" },
  ".cm-diagnostic": { borderLeft: "3px solid var(--error)", padding: "4px 8px" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--changed)" },
  ".cm-difference": { backgroundColor: "var(--changed-soft)", borderLeft: "3px solid var(--changed)", display: "flex", gap: "8px", alignItems: "start", justifyContent: "space-between", padding: "2px 8px", whiteSpace: "pre-wrap" },
  ".cm-difference button": { background: "var(--paper)", border: "1px solid var(--changed)", borderRadius: "6px", color: "var(--changed)", cursor: "pointer", flex: "none", font: "600 12px var(--sans)", padding: "2px 8px" },
});

/** What came in place of an expected reply, below it, with a way to take it. */
class Came extends WidgetType {
  constructor(difference, words, accept) {
    super();
    Object.assign(this, { difference, words, accept });
  }
  eq(other) {
    return other.difference.got === this.difference.got && other.difference.line === this.difference.line;
  }
  toDOM() {
    const box = document.createElement("div");
    box.className = "cm-difference";
    const text = document.createElement("span");
    text.textContent = `${this.words.came} ${this.difference.got}`;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = this.words.take;
    button.onclick = () => this.accept(this.difference.line);
    box.append(text, button);
    return box;
  }
  ignoreEvent() {
    return true;
  }
}

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/**
 * Mounts an editor into an element. `on` has `change(text)`, `undo()`, `redo()`, `accept(line)` and `breakpoint(line)`; `words` answers
 * what can be typed. The element's `value` is its text, as a text area's.
 */
export function mount(host, { text, label, words, on }) {
  const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
  let quiet = false;
  let shown;
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        breakpointGutter(on.breakpoint),
        lineNumbers(),
        drawSelection(),
        EditorView.lineWrapping,
        EditorState.tabSize.of(2),
        notation,
        syntaxHighlighting(colours),
        bracketMatching(),
        closeBrackets(),
        autocompletion({ override: [completionSource(words)], icons: false }),
        keymap.of([
          { key: "Mod-z", run: () => (on.undo(), true), preventDefault: true },
          { key: "Mod-y", mac: "Mod-Shift-z", run: () => (on.redo(), true), preventDefault: true },
          { key: "F9", run: toggleAtCursor(on.breakpoint) },
          { key: "Mod-Shift-z", run: () => (on.redo(), true), preventDefault: true },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !quiet) on.change(update.state.doc.toString());
        }),
        marks,
        look,
      ],
    }),
  });
  Object.defineProperty(host, "value", { configurable: true, get: () => view.state.doc.toString() });
  return {
    /** Puts a text in place of the present one by the one change that it takes, so that the cursor stays. */
    setText(next) {
      const now = view.state.doc.toString();
      if (now === next) return;
      let from = 0;
      while (from < now.length && now[from] === next[from]) from++;
      let end = 0;
      while (end < Math.min(now.length, next.length) - from && now[now.length - 1 - end] === next[next.length - 1 - end]) end++;
      quiet = true;
      view.dispatch({
        changes: { from, to: now.length - end, insert: next.slice(from, next.length - end) },
        annotations: Transaction.remote.of(true),
      });
      quiet = false;
    },
    /** `{ present, diagnostics, differences, breakpoints, scripts, words }`, with lines and columns from 1. */
    show(json) {
      const { present, diagnostics, differences, breakpoints, scripts, words: texts } = JSON.parse(json);
      const { doc } = view.state;
      const line = (number) => doc.line(Math.min(Math.max(number, 1), doc.lines));
      const ranges = [];
      if (present) ranges.push(Decoration.line({ class: "cm-present" }).range(line(present).from));
      for (const difference of differences) {
        const rows = Math.max(difference.expected.split("\n").length - 1, 0);
        const widget = new Came(difference, texts, on.accept);
        ranges.push(Decoration.widget({ widget, block: true, side: 1 }).range(line(difference.line + rows).to));
      }
      const effects = [setMarks.of(Decoration.set(ranges, true)), showBreakpoints(line, breakpoints, scripts, texts.breakpoint)];
      // Who types is not to be moved.
      if (present && present !== shown && !view.hasFocus) {
        effects.push(EditorView.scrollIntoView(line(present).from, { y: "nearest", yMargin: 80 }));
      }
      shown = present;
      view.dispatch({ effects });
      const wrong = diagnostics.map(({ line: number, column, message, help, severity }) => {
        const { from, to, text } = line(number);
        const begin = Math.min(from + [...text].slice(0, column - 1).join("").length, to);
        const rest = /^(?:"[^"]*"?|'[^']*'?|\S+)/.exec(text.slice(begin - from))?.[0].length ?? 0;
        return { from: begin === to ? from : begin, to: Math.min(begin + Math.max(rest, 1), to), severity, message: help ? `${message}\n${help}` : message };
      });
      view.dispatch(setDiagnostics(view.state, wrong));
    },
    goTo(number, column) {
      const { from, to } = view.state.doc.line(Math.min(number, view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(from + column - 1, to) }, scrollIntoView: true });
      view.focus();
    },
    destroy() {
      view.destroy();
    },
  };
}
