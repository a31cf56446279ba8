// Starts the page. Trunk's own start is an inline script, which the page's security policy forbids; this file is
// told the hashed names of what to load by the script element that loads it (`pattern_script` in Trunk.toml).

// A function with an empty try_table: the form of exceptions that Lua's errors are compiled to.
const MODULE_WITH_EXCEPTIONS = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x04, 0x01, 0x60, 0x00, 0x00, 0x03, 0x02, 0x01, 0x00, 0x0a,
  0x08, 0x01, 0x06, 0x00, 0x1f, 0x40, 0x00, 0x0b, 0x0b,
]);

const notice = document.getElementById("boot");

try {
  if (!WebAssembly.validate(MODULE_WITH_EXCEPTIONS) || !WebAssembly.JSTag) {
    throw new Error(
      "This browser is too old for it: Chrome 137, Firefox 131, Safari 18.4 or newer have the WebAssembly exceptions that Lua's errors need.",
    );
  }
  const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
  const page = await import(new URL(js, document.baseURI));
  await page.default({ module_or_path: new URL(wasm, document.baseURI) });
  notice.remove();
} catch (error) {
  notice.setAttribute("role", "alert");
  notice.textContent = `The playground could not start. ${error.message}`;
  throw error;
}
