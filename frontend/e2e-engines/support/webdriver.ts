/** The key under which the protocol sends an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

/** An element of the page, as the driver names it. */
export type ElementReference = { [ELEMENT]: string };

/** A session of the W3C WebDriver protocol, as far as the tests use it. */
export class WebDriver {
  readonly #session: string;

  private constructor(session: string) {
    this.#session = session;
  }

  /** @param driver address of the driver */
  static async start(driver: string, capabilities: object): Promise<WebDriver> {
    const { sessionId } = await send<{ sessionId: string }>("POST", `${driver}/session`, {
      capabilities: { alwaysMatch: capabilities },
    });
    return new WebDriver(`${driver}/session/${sessionId}`);
  }

  async end(): Promise<void> {
    await send("DELETE", this.#session);
  }

  async open(url: string): Promise<void> {
    await this.#post("url", { url });
  }

  async reload(): Promise<void> {
    await this.#post("refresh");
  }

  async goBack(): Promise<void> {
    await this.#post("back");
  }

  /** Runs a function in the page. It can use nothing but its arguments. */
  async evaluate<Result, Arguments extends unknown[]>(
    run: (...args: Arguments) => Result,
    ...args: Arguments
  ): Promise<Result> {
    return await this.#post("execute/sync", { script: `return (${run})(...arguments)`, args });
  }

  async click(element: ElementReference): Promise<void> {
    await this.#post(`element/${element[ELEMENT]}/click`);
  }

  async type(element: ElementReference, text: string): Promise<void> {
    await this.#post(`element/${element[ELEMENT]}/value`, { text });
  }

  /** The handles of all windows. */
  async windows(): Promise<string[]> {
    return await send("GET", `${this.#session}/window/handles`);
  }

  async switchTo(handle: string): Promise<void> {
    await this.#post("window", { handle });
  }

  async closeWindow(): Promise<void> {
    await send("DELETE", `${this.#session}/window`);
  }

  /** The visible part of the page, as a PNG. */
  async screenshot(): Promise<Buffer> {
    return Buffer.from(await send<string>("GET", `${this.#session}/screenshot`), "base64");
  }

  async #post<Result>(command: string, body: object = {}): Promise<Result> {
    return await send("POST", `${this.#session}/${command}`, body);
  }
}

async function send<Result>(method: string, url: string, body?: object): Promise<Result> {
  const answer = await fetch(url, {
    method,
    headers: { "Content-Type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { value } = (await answer.json()) as { value: Result & { error?: string } };
  if (!answer.ok) {
    throw new Error(`${method} ${new URL(url).pathname}: ${JSON.stringify(value)}`);
  }
  return value;
}
