// The scenario format for CodeMirror: Markdown around fences of steps and of Lua. One token at a time, no tree: the
// engine is the judge of what is right, this only colours it.
import { StreamLanguage } from "@codemirror/language";
import { lua } from "@codemirror/legacy-modes/mode/lua";
import { tags } from "@lezer/highlight";

const FENCE = /^\s*```\s*(\w*)/;
const STEP = /^\s*[A-Za-z][\w-]*>>? /;
const LATER = /^\s*[A-Za-z][\w-]*< /;

/** A text without fences whose first line is a step or a directive is all steps. */
export const isBare = (first) => STEP.test(first) || /^\s*@ /.test(first) || /^\s*# /.test(first);

const startState = () => ({ where: undefined, line: "", word: 0, lua: undefined, front: 0 });

const copyState = (state) => ({ ...state, lua: state.lua && { ...state.lua } });

function beginLine(stream, state) {
  const text = stream.string;
  state.where ??= text === "---" ? "front" : isBare(text) ? "redis" : "prose";
  const fence = FENCE.exec(text);
  if (fence && state.where !== "front") {
    const opens = state.where === "prose" || (state.where === "redis" && fence[1]);
    state.where = opens ? (["redis", "lua"].includes(fence[1]) ? fence[1] : "code") : "prose";
    state.lua = state.where === "lua" ? lua.startState(2) : undefined;
    stream.skipToEnd();
    return "meta";
  }
  if (state.where === "front" && text === "---") {
    if (++state.front === 2) state.where = "prose";
    stream.skipToEnd();
    return "meta";
  }
  state.word = 0;
  if (STEP.test(text)) state.line = "step";
  else if (LATER.test(text)) state.line = "later";
  else if (/^\s*@ /.test(text)) state.line = "directive";
  else if (/^\s*#( |$)/.test(text)) state.line = "remark";
  else state.line = "reply";
}

function prose(stream) {
  if (stream.sol() && stream.match(/^#{1,6} .*/)) return "heading";
  if (stream.match(/^`[^`]+`/)) return "monospace";
  if (stream.match(/^\*\*[^*]+\*\*/)) return "strong";
  if (stream.match(/^\*[^*]+\*/)) return "emphasis";
  if (stream.match(/^\[[^\]]+\]\([^)]*\)/)) return "link";
  stream.next();
  stream.eatWhile(/[^`*[]/);
  return null;
}

function front(stream) {
  if (stream.sol() && stream.match(/^\w+:/)) return "propertyName";
  stream.skipToEnd();
  return "string";
}

function steps(stream, state) {
  if (state.line === "remark") return stream.skipToEnd(), "comment";
  if (state.line === "reply") return stream.skipToEnd(), /^\s*\(error\)/.test(stream.string) ? "invalid" : "reply";
  if (stream.eatSpace()) return null;
  if (state.line === "later") {
    if (stream.match(/^[\w-]+</)) return "labelName";
    return stream.skipToEnd(), "reply";
  }
  if (state.line === "directive") {
    if (stream.match(/^@/)) return "meta";
    if (stream.match(/^[+\d][\w.]*/)) return "number";
    stream.match(/^\S+/);
    return state.word++ ? null : "meta";
  }
  if (!state.word) {
    state.word = 1;
    stream.match(/^[\w-]+>>?/);
    return "labelName";
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return state.word++, "string";
  if (stream.match(/^\$[\w.[\]+-]+/)) return state.word++, "variableName";
  if (stream.match(/^-?\d+(\.\d+)?(?=\s|$)/)) return state.word++, "number";
  stream.match(/^\S+/);
  return state.word++ === 1 ? "keyword" : null;
}

export const notation = StreamLanguage.define({
  name: "redis-scenario",
  startState,
  copyState,
  blankLine(state) {
    state.line = "";
  },
  token(stream, state) {
    if (stream.sol()) {
      const whole = beginLine(stream, state);
      if (whole) return whole;
    }
    switch (state.where) {
      case "redis":
        return steps(stream, state);
      case "lua":
        return lua.token(stream, state.lua);
      case "front":
        return front(stream);
      case "code":
        return stream.skipToEnd(), "monospace";
      default:
        return prose(stream);
    }
  },
  languageData: { closeBrackets: { brackets: ["(", "[", "{", '"', "'"] } },
  tokenTable: { reply: tags.quote },
});
