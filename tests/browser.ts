/**
 * A headless Chromium, driven over the DevTools protocol, for tests of the page that `fdtool ui` serves.
 */

const PROGRAMS = ["chromium", "chromium-browser", "google-chrome"];
/** Guards against a page that hangs, after which the browser is killed or an expression reported; never expectations. */
const HUNG_AFTER_MS = 240_000;
const NEVER_TRUE_AFTER_MS = 120_000;

/** The path of a Chromium; undefined if none is installed. */
export function chromiumPath(): string | undefined {
  for (const program of PROGRAMS) {
    const { code, stdout } = new Deno.Command("sh", {
      args: ["-c", `command -v ${program}`],
      stderr: "null",
    }).outputSync();
    if (code === 0) return new TextDecoder().decode(stdout).trim();
  }
  return undefined;
}

export interface Browser extends AsyncDisposable {
  newPage(): Promise<BrowserPage>;
}

/** A page in a tab of its own. */
export interface BrowserPage extends AsyncDisposable {
  /** Faults that the page's scripts or the browser reported: exceptions, refused content. */
  readonly faults: string[];
  open(url: string): Promise<void>;
  /** The value of an expression in the page. */
  value<Value>(expression: string): Promise<Value>;
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>;
  /** Presses a key, such as `a`, `Enter`, `ArrowDown` or `Shift+ArrowDown`. */
  press(key: string): Promise<void>;
  type(text: string): Promise<void>;
  wheel(x: number, y: number, deltaY: number): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  prefer(scheme: "light" | "dark"): Promise<void>;
  screenshot(): Promise<Uint8Array>;
}

interface Message {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: { message: string };
}

/** The modifier of the DevTools protocol. */
const SHIFT = 8;

/** Key codes that the page's own handlers and the browser's need. */
const KEY_CODES: Readonly<Record<string, number>> = {
  Enter: 13,
  Escape: 27,
  Tab: 9,
  PageUp: 33,
  PageDown: 34,
  End: 35,
  Home: 36,
  ArrowUp: 38,
  ArrowDown: 40,
};

/** Starts Chromium with a profile in `folder`. */
export async function startBrowser(program: string, folder: string): Promise<Browser> {
  const child = new Deno.Command(program, {
    args: [
      "--headless=new",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-dev-shm-usage",
      "--window-size=1280,800",
      `--user-data-dir=${folder}`,
      "--remote-debugging-port=0",
      "about:blank",
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const address = await debuggerAddress(child.stderr);
  return {
    newPage: () => newPage(address, () => child.kill("SIGKILL")),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.status;
    },
  };
}

async function newPage(address: string, kill: () => void): Promise<BrowserPage> {
  const guard = setTimeout(kill, HUNG_AFTER_MS);
  const target = await fetch(`http://${address}/json/new`, { method: "PUT" });
  const { id: targetId, webSocketDebuggerUrl }: { id: string; webSocketDebuggerUrl: string } = await target
    .json();
  const socket = new WebSocket(webSocketDebuggerUrl);
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  const waiting = new Map<number, (message: Message) => void>();
  const faults: string[] = [];
  let loaded = () => {};
  let lastId = 0;
  socket.onmessage = ({ data }) => {
    const message: Message = JSON.parse(data);
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    if (message.method === "Page.loadEventFired") loaded();
    if (message.method === "Runtime.exceptionThrown" || message.method === "Log.entryAdded") {
      faults.push(JSON.stringify(message.params));
    }
  };
  socket.onclose = () => {
    for (const end of waiting.values()) end({ error: { message: "Chromium ended" } });
  };
  async function call(
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>> {
    const id = ++lastId;
    const { promise, resolve } = Promise.withResolvers<Message>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error } = await promise;
    waiting.delete(id);
    if (error !== undefined) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  }
  async function value<Value>(expression: string): Promise<Value> {
    const { result, exceptionDetails } = await call("Runtime.evaluate", {
      expression,
      returnByValue: true,
      awaitPromise: true,
    });
    const thrown = exceptionDetails as { exception?: { description?: string } } | undefined;
    if (thrown !== undefined) throw new Error(thrown.exception?.description ?? expression);
    return (result as { value: Value }).value;
  }
  for (const domain of ["Page", "Runtime", "Log"]) await call(`${domain}.enable`);
  // Cookies are those of a host, whatever its port.
  await call("Network.clearBrowserCookies");
  const permissions = ["clipboardReadWrite", "clipboardSanitizedWrite", "notifications"];
  await call("Browser.grantPermissions", { permissions });
  return {
    faults,
    value,
    async open(url) {
      const done = new Promise<void>((resolve) => loaded = resolve);
      await call("Page.navigate", { url });
      await done;
    },
    async until(expression) {
      await value(`new Promise((resolve, reject) => {
        const began = performance.now();
        (function look() {
          if (${expression}) resolve(true);
          else if (performance.now() - began > ${NEVER_TRUE_AFTER_MS}) {
            reject(new Error("never true: " + ${
        JSON.stringify(expression)
      } + document.body.innerText.slice(0, 2000)));
          } else setTimeout(look, 10);
        })();
      })`);
    },
    async press(keys) {
      const isShifted = keys.startsWith("Shift+");
      const key = isShifted ? keys.slice("Shift+".length) : keys;
      const windowsVirtualKeyCode = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0);
      const code = { key, windowsVirtualKeyCode, modifiers: isShifted ? SHIFT : 0 };
      const text = key === "Enter" ? "\r" : key.length === 1 ? key : undefined;
      await call("Input.dispatchKeyEvent", {
        type: "keyDown",
        ...code,
        ...text === undefined ? {} : { text },
      });
      await call("Input.dispatchKeyEvent", { type: "keyUp", ...code });
    },
    type: async (text) => void await call("Input.insertText", { text }),
    wheel: async (x, y, deltaY) =>
      void await call("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX: 0, deltaY }),
    resize: async (width, height) =>
      void await call("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: 1,
        mobile: false,
      }),
    prefer: async (scheme) =>
      void await call("Emulation.setEmulatedMedia", {
        features: [{ name: "prefers-color-scheme", value: scheme }],
      }),
    async screenshot() {
      const { data } = await call("Page.captureScreenshot", { format: "png", optimizeForSpeed: true });
      return Uint8Array.from(atob(String(data)), (char) => char.charCodeAt(0));
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(guard);
      socket.close();
      await (await fetch(`http://${address}/json/close/${targetId}`)).body?.cancel();
    },
  };
}

/** The address that Chromium listens at, from its first words; reads the rest so that it never waits. */
async function debuggerAddress(stderr: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stderr.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`Chromium ended: ${text}`);
    text += value;
    const address = /ws:\/\/([^/]+)\//.exec(text)?.[1];
    if (address === undefined) continue;
    void (async () => {
      while (!(await reader.read()).done);
    })();
    return address;
  }
}
