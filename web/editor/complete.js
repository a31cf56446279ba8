// What can be typed at a place: commands with their syntax, their options, scripts, keys and clients of this text, and
// in Lua what Redis's sandbox offers. Commands come from the engine's table; nothing about them is known here.
import { isBare } from "./notation.js";

const WORDS_MAX = 300;

/** Where a position is: in steps, in Lua, or in prose. */
function whereIs(doc, at) {
  let where = isBare(doc.line(1).text) ? "redis" : "prose";
  const last = doc.lineAt(at).number;
  for (let number = 1; number <= last; number++) {
    const fence = /^\s*```\s*(\w*)/.exec(doc.line(number).text);
    if (fence) where = where === "prose" || (number > 1 && fence[1]) ? fence[1] || "code" : "prose";
  }
  return where;
}

/** Words that commands of the text have behind their names: keys above all. */
function wordsOf(doc) {
  const words = new Set();
  for (const { value } of linesOf(doc)) {
    const step = /^\s*[A-Za-z][\w-]*>>? +\S+ +(.*)/.exec(value);
    for (const word of step?.[1].match(/[\w:{}.-]{2,}/g) ?? []) {
      if (!/^[\d.]+$/.test(word) && words.size < WORDS_MAX) words.add(word);
    }
  }
  return words;
}

function* linesOf(doc) {
  for (let iterator = doc.iterLines(); !iterator.next().done; ) yield iterator;
}

const scriptsOf = (doc) => [...doc.toString().matchAll(/^\s*```lua +([A-Za-z][\w-]*)/gm)].map(([, name]) => name);

/** Words in capitals of a syntax line are its options. */
const optionsOf = (syntax) => [...new Set(syntax.match(/\b[A-Z][A-Z-]+\b/g)?.slice(1) ?? [])];

function inSteps(context, { commands, directives }) {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  const directive = /^\s*@ +([\w -]*)$/.exec(before);
  if (directive) {
    return { from: context.pos - directive[1].length, options: directives.map((label) => ({ label, type: "keyword" })) };
  }
  const step = /^\s*[A-Za-z][\w-]*>>? +(.*)$/.exec(before);
  if (!step) return null;
  const [typed] = step.slice(1);
  const upper = typed.toUpperCase();
  const command = commands.findLast(({ name }) => upper.startsWith(`${name} `));
  const isName = !command || commands.some(({ name }) => name.startsWith(upper) && name !== command.name);
  if (isName && !/["']/.test(typed)) {
    const options = commands.map(({ name, syntax, summary }) => ({
      label: name,
      detail: syntax.slice(name.length),
      info: summary,
      type: "function",
    }));
    return { from: context.pos - typed.length, options, validFor: /^[\w -]*$/ };
  }
  const word = /(?:^|\s)(\$?[^\s"']*)$/.exec(typed)?.[1];
  if (word === undefined || (!word && !context.explicit)) return null;
  const of = (type) => (label) => ({ label, type });
  const options = [
    ...optionsOf(command?.syntax ?? "").map((label) => ({ label, type: "keyword", detail: command.name, boost: 2 })),
    ...scriptsOf(context.state.doc).flatMap((name) => [`$${name}`, `$${name}.sha`]).map(of("variable")),
    ...[...wordsOf(context.state.doc)].map(of("text")),
  ];
  return { from: context.pos - word.length, options, validFor: /^\$?[^\s"']*$/ };
}

function inLua(context, { commands, lua }) {
  const call = context.matchBefore(/\bredis\.p?call\(\s*["'][\w ]*/);
  if (call) {
    const typed = /[\w ]*$/.exec(call.text)[0];
    const whole = commands.filter(({ name }) => !name.includes(" "));
    return {
      from: context.pos - typed.length,
      options: whole.map(({ name, syntax, summary }) => ({ label: name, detail: syntax.slice(name.length), info: summary, type: "function" })),
    };
  }
  const word = context.matchBefore(/[\w.]+/);
  if (!word && !context.explicit) return null;
  return { from: word?.from ?? context.pos, options: lua.map(([label, info]) => ({ label, info, type: "function" })), validFor: /^[\w.]*$/ };
}

export function completionSource(words) {
  return (context) => {
    const where = whereIs(context.state.doc, context.pos);
    if (where === "redis") return inSteps(context, words());
    return where === "lua" ? inLua(context, words()) : null;
  };
}
