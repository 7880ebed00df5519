import { signal } from "./processes.ts";
import { setting } from "./settings.ts";

/** Stops crm-sync, with every connection open, until `thaw` is called. */
export async function freezeCrm(): Promise<{ thaw: () => Promise<void> }> {
  const send = (name: NodeJS.Signals) => signal(setting("CRM_SYNC_PID_FILE"), name);
  await send("SIGSTOP");
  return { thaw: () => send("SIGCONT") };
}
