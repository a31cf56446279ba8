// A gutter for breakpoints, beside the lines of scripts. Which lines have one is the page's to know: a click asks it, and what
// it says next is shown. Until then marks go with their text.
import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";

class Mark extends GutterMarker {
  constructor(isSet, label) {
    super();
    Object.assign(this, { isSet, label });
  }
  eq(other) {
    return other.isSet === this.isSet;
  }
  toDOM() {
    const dot = document.createElement("span");
    dot.className = this.isSet ? "cm-breakpoint is-set" : "cm-breakpoint";
    dot.title = this.label;
    dot.textContent = "●";
    return dot;
  }
}

const setMarks = StateEffect.define();
const marks = StateField.define({
  create: () => RangeSet.empty,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value.map(transaction.changes);
  },
});

/** `line`: gives a line of the text by its number. `scripts`: first and last lines. */
export function showBreakpoints(line, breakpoints, scripts, label) {
  const isSet = new Set(breakpoints);
  const ranges = scripts.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => new Mark(isSet.has(first + at), label).range(line(first + at).from)),
  );
  // A text that has become shorter meanwhile has several of them on its last line.
  return setMarks.of(RangeSet.of(ranges, true));
}

export function breakpointGutter(toggle) {
  return [
    marks,
    gutter({
      class: "cm-breakpoints",
      markers: (view) => view.state.field(marks),
      domEventHandlers: {
        mousedown(view, { from }) {
          toggle(view.state.doc.lineAt(from).number);
          return true;
        },
      },
    }),
  ];
}

export const toggleAtCursor = (toggle) => (view) => {
  toggle(view.state.doc.lineAt(view.state.selection.main.head).number);
  return true;
};
