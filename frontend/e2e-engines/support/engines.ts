import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { expect } from "@playwright/test";
import { setting } from "../../e2e/support/settings.ts";

export type Engine = "webkit" | "firefox";

/** A running driver, which starts a browser for each session. */
export interface Driver {
  address: string;
  /** What a session requests. */
  capabilities: object;
  /** Lines that the driver and its browsers have printed. */
  output: string[];
  stop: () => void;
}

export async function startDriver(engine: Engine): Promise<Driver> {
  return await { webkit: startWebKit, firefox: startFirefox }[engine]();
}

/** WebKitGTK has no mode without a display. */
async function startWebKit(): Promise<Driver> {
  const screen = ["-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-displayfd", "3"];
  // It prints errors about displays that other servers use, before it finds a free one.
  const xvfb = spawn("Xvfb", screen, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
  const display = await new Promise<string>((resolve, reject) => {
    xvfb.on("error", reject);
    xvfb.on("exit", (status) => reject(new Error(`Xvfb ended with status ${status}`)));
    createInterface(xvfb.stdio[3] as Readable).once("line", resolve);
  });
  const driver = await start(setting("WEBKIT_DRIVER"), {
    DISPLAY: `:${display}`,
    // Without it a desktop's Wayland display would be preferred.
    GDK_BACKEND: "x11",
  });
  return {
    ...driver,
    capabilities: {
      "webkitgtk:browserOptions": {
        args: ["--automation", "--javascript-can-open-windows-automatically=true"],
      },
    },
    stop: () => {
      driver.stop();
      xvfb.kill();
    },
  };
}

async function startFirefox(): Promise<Driver> {
  // A window cannot be higher than the screen.
  const screen = { MOZ_HEADLESS_WIDTH: "1280", MOZ_HEADLESS_HEIGHT: "1024" };
  const driver = await start(setting("GECKODRIVER"), screen);
  const prefs = {
    "dom.disable_open_during_load": false,
    // A phone's scrollbar takes no width.
    "ui.useOverlayScrollbars": 1,
    // Prints uncaught errors.
    "javascript.options.showInConsole": true,
    "browser.dom.window.dump.enabled": true,
  };
  return {
    ...driver,
    capabilities: {
      "moz:firefoxOptions": { binary: setting("FIREFOX"), args: ["-headless"], prefs },
    },
  };
}

async function start(
  program: string,
  env: NodeJS.ProcessEnv,
): Promise<Omit<Driver, "capabilities">> {
  const port = await freePort();
  const child = spawn(program, [`--port=${port}`], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => output.push(line));
  }
  const address = `http://127.0.0.1:${port}`;
  await expect.poll(() => isReady(address, child), { timeout: 20_000 }).toBe(true);
  return { address, output, stop: () => void child.kill() };
}

async function isReady(address: string, driver: ChildProcess): Promise<boolean> {
  if (driver.exitCode !== null) {
    throw new Error(`${driver.spawnfile} ended with status ${driver.exitCode}`);
  }
  const answer = await fetch(`${address}/status`).catch(() => null);
  return answer?.ok ?? false;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") {
    throw new Error("no free port");
  }
  return address.port;
}
