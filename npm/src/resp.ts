import { ReplyError } from "./errors.js";

/** What a command takes: numbers and bigints are written in decimal, bytes are sent as they are. */
export type Argument = string | number | bigint | Uint8Array;

/**
 * A reply as a JavaScript value. Integers are numbers, beyond 2^53 bigints; strings are text, or bytes where the client
 * is `binary`; null is the null of either protocol. Errors within an array (EXEC) are values, not thrown. Only clients
 * of RESP3 get booleans, doubles (as numbers), big numbers (as bigints), maps and sets.
 */
export type Reply = string | number | bigint | boolean | null | Uint8Array | ReplyError | Reply[] | ReplyMap | ReplySet;
export interface ReplyMap extends Map<Reply, Reply> {}
export interface ReplySet extends Set<Reply> {}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const ASCII = /^[\x00-\x7f]*$/;
const CR = 13;
const LF = 10;

/** A command as an array of bulk strings. */
export function encodeCommand(words: readonly Argument[]): Uint8Array {
  if (words.length === 0) throw new TypeError("a command needs a name");
  return encodeAscii(words) ?? encodeParts(words);
}

/** In one go, as it is with most commands: where a character is a byte, lengths need no encoding. */
function encodeAscii(words: readonly Argument[]): Uint8Array | undefined {
  let text = `*${words.length}\r\n`;
  for (const word of words) {
    if (!(typeof word === "string" ? ASCII.test(word) : Number.isFinite(word))) return undefined;
    const digits = String(word);
    text += `$${digits.length}\r\n${digits}\r\n`;
  }
  return encoder.encode(text);
}

function encodeParts(words: readonly Argument[]): Uint8Array {
  const parts: Uint8Array[] = [encoder.encode(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = argument(word);
    parts.push(encoder.encode(`$${bytes.length}\r\n`), bytes, Uint8Array.of(CR, LF));
  }
  return concat(parts);
}

function argument(word: Argument): Uint8Array {
  if (word instanceof Uint8Array) return word;
  if (typeof word === "string" || typeof word === "bigint") return encoder.encode(String(word));
  if (typeof word === "number" && Number.isFinite(word)) return encoder.encode(String(word));
  throw new TypeError(`an argument is a string, a finite number, a bigint or bytes, not ${describe(word)}`);
}

function describe(word: unknown): string {
  return word === null || typeof word === "number" ? String(word) : Array.isArray(word) ? "an array" : typeof word;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Reads one whole reply of either protocol. */
export function decodeReply(bytes: Uint8Array, binary: boolean): Reply {
  return new Reader(bytes, binary).reply();
}

class Reader {
  #at = 0;

  constructor(
    readonly bytes: Uint8Array,
    readonly binary: boolean,
  ) {}

  reply(): Reply {
    const kind = String.fromCharCode(this.bytes[this.#at++] ?? 0);
    const line = this.#line();
    switch (kind) {
      case "+":
        return this.#text(line);
      case "-":
        return new ReplyError(decoder.decode(line));
      case ":":
        return integer(decoder.decode(line));
      case "$":
        return this.#bulk(count(line));
      case "*":
      case ">":
        return this.#array(count(line));
      case "_":
        return null;
      case "#":
        return line[0] === "t".charCodeAt(0);
      case ",":
        return double(decoder.decode(line));
      case "(":
        return BigInt(decoder.decode(line));
      case "=":
        return this.#verbatim(count(line));
      case "%":
        return this.#map(count(line));
      case "~":
        return new Set(this.#items(count(line)));
      case "|":
        this.#map(count(line));
        return this.reply();
      default:
        throw new SyntaxError(`a reply can't begin with ${JSON.stringify(kind)}`);
    }
  }

  #line(): Uint8Array {
    const end = this.bytes.indexOf(CR, this.#at);
    const line = this.bytes.subarray(this.#at, end);
    this.#at = end + 2;
    return line;
  }

  #text(bytes: Uint8Array): string | Uint8Array {
    return this.binary ? bytes.slice() : decoder.decode(bytes);
  }

  #take(length: number): Uint8Array {
    const bytes = this.bytes.subarray(this.#at, this.#at + length);
    this.#at += length + 2;
    return bytes;
  }

  #bulk(length: number): Reply {
    return length < 0 ? null : this.#text(this.#take(length));
  }

  /** Without the three letters of its format and the colon. */
  #verbatim(length: number): Reply {
    return this.#text(this.#take(length).subarray(4));
  }

  #array(length: number): Reply {
    return length < 0 ? null : this.#items(length);
  }

  #items(length: number): Reply[] {
    return Array.from({ length }, () => this.reply());
  }

  #map(length: number): ReplyMap {
    const map = new Map<Reply, Reply>();
    for (let left = length; left > 0; left--) {
      const key = this.reply();
      map.set(key, this.reply());
    }
    return map;
  }
}

function count(line: Uint8Array): number {
  return Number(decoder.decode(line));
}

function integer(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

function double(text: string): number {
  if (text === "inf") return Infinity;
  if (text === "-inf") return -Infinity;
  return Number(text);
}
