// Calls of the server that this page came from. All addresses are relative, so that the token stays in them.

const TOKEN = location.pathname.split("/")[1];

/** Shows whether the server still answers. */
function notice(answers) {
  document.getElementById("gone").hidden = answers;
}

/** Throws the server's sentence, with the status of its answer. */
async function send(name, parameters, options) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== "" && value !== false) query.set(key, value === true ? "1" : value);
  }
  let response;
  try {
    response = await fetch(`api/${name}?${query}`, { ...options, credentials: "omit", cache: "no-store" });
  } catch (thrown) {
    if (thrown.name !== "AbortError") notice(false);
    throw thrown;
  }
  notice(true);
  if (response.ok) return response;
  const { status } = response;
  const { message } = await response.json().catch(() => ({ message: `The server answered ${status}.` }));
  throw Object.assign(new Error(message), { status });
}

/** The answer to a call that only reads. */
export async function ask(name, parameters = {}, signal = undefined) {
  return (await send(name, parameters, { signal })).json();
}

/** The answer to a call that changes something. */
export async function order(name, parameters) {
  return (await send(name, parameters, { method: "POST", headers: { "x-fdtool-token": TOKEN } })).json();
}

/** The answers of a call that come one a line. */
export async function* listen(name, parameters, signal) {
  const reader = (await send(name, parameters, { signal })).body
    .pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}
