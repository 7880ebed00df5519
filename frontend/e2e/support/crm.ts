import { signal } from "./processes.ts";
import { setting } from "./settings.ts";

/** Has crm-sync stand still, with every connection open, until it is told to go on. */
export async function freezeCrm(): Promise<{ thaw: () => Promise<void> }> {
  const send = (name: NodeJS.Signals) => signal(setting("CRM_SYNC_PID_FILE"), name);
  await send("SIGSTOP");
  return { thaw: () => send("SIGCONT") };
}
