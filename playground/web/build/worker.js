// A web worker with Python (Pyodide). It loads Python once, then runs each message's program.
// It is served beside Pyodide's files (server/build_files.py).

/**
 * What the page sends: sources of modules and other files, or a call of the harness.
 * @typedef {{modules: Record<string, string>} | {call: string}} Asked
 */

const scope = /** @type {any} */ (globalThis);

/** @type {Promise<any>} */
const loading = (async () => {
  const here = new URL(".", scope.location.href).href;
  const { loadPyodide } = await import(`${here}pyodide.mjs`);
  const info = { abi_version: "2026_0", arch: "wasm32", platform: "emscripten_5_0_3", python: "3.14.2", version: "314.0.7" };
  return loadPyodide({ indexURL: here, packageBaseUrl: here, lockFileContents: { info, packages: {} } });
})();

scope.addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  try {
    const python = await loading;
    if ("modules" in data) {
      for (const [name, source] of Object.entries(data.modules)) python.FS.writeFile(name, source);
      scope.postMessage({ answer: "" }, []);
    } else {
      const begin = (/** @type {string} */ part) => scope.postMessage({ part }, []);
      scope.postMessage({ answer: python.pyimport("harness").call(data.call, begin) }, []);
    }
  } catch (error) {
    scope.postMessage({ problem: String(/** @type {Error} */ (error).message ?? error) }, []);
  }
});
