import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { setting } from "./settings.ts";

/** Kills the broker with -9, and every broker that the supervisor starts in its place, until it is let back. */
export function keepBrokerAway(): { letBack: () => Promise<void> } {
  let away = true;
  const killing = (async () => {
    while (away) {
      await killBroker();
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

async function killBroker(): Promise<void> {
  const text = await readFile(setting("RABBITMQ_PID_FILE"), "utf8").catch(() => "");
  const pid = Number(text.trim());
  if (!Number.isInteger(pid) || pid <= 1) {
    return;
  }
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    // It is dead already and the next one has not started yet.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
      throw error;
    }
  }
}
