import { execFile } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { signal } from "./processes.ts";
import { setting } from "./settings.ts";

/** Kills the broker with -9, and every broker that the supervisor starts in its place, until it is let back. */
export function keepBrokerAway(): { letBack: () => Promise<void> } {
  let away = true;
  const killing = (async () => {
    while (away) {
      await kill();
      await pause(50);
    }
  })();
  return {
    letBack: () => {
      away = false;
      return killing;
    },
  };
}

async function kill(): Promise<void> {
  const container = process.env["RABBITMQ_CONTAINER"];
  if (container === undefined) {
    return signal(setting("RABBITMQ_PID_FILE"), "SIGKILL");
  }
  // Between two runs there is none.
  await promisify(execFile)("docker", ["kill", container]).catch(() => {});
}
