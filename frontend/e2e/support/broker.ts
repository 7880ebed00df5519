import { setTimeout as pause } from "node:timers/promises";
import { signal } from "./processes.ts";
import { setting } from "./settings.ts";

/** Kills the broker with -9, and every broker that the supervisor starts in its place, until it is let back. */
export function keepBrokerAway(): { letBack: () => Promise<void> } {
  let away = true;
  const killing = (async () => {
    while (away) {
      await signal(setting("RABBITMQ_PID_FILE"), "SIGKILL");
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
