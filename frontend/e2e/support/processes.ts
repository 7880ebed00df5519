import { readFile } from "node:fs/promises";

/** Sends a signal to the process whose id a file holds, if there is one. */
export async function signal(pidFile: string, name: NodeJS.Signals): Promise<void> {
  const text = await readFile(pidFile, "utf8").catch(() => "");
  const pid = Number(text.trim());
  if (!Number.isInteger(pid) || pid <= 1) {
    return;
  }
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has exited, and its successor has not started yet.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) {
      throw error;
    }
  }
}
