import { setTimeout as pause } from "node:timers/promises";
import { signal } from "./processes.ts";
import { setting } from "./settings.ts";

/** Kills the broker with SIGKILL, and every broker that the supervisor restarts, until `restore` is called. */
export function keepBrokerDown(): { restore: () => Promise<void> } {
  let down = true;
  const killing = (async () => {
    while (down) {
      await signal(setting("RABBITMQ_PID_FILE"), "SIGKILL");
      await pause(50);
    }
  })();
  return {
    restore: () => {
      down = false;
      return killing;
    },
  };
}
