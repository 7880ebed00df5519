import type { KeyValueStore } from "#shared/api/key-value-store.ts";
import { textFields } from "./registration.ts";
import { readDraft } from "./stored-draft.ts";

/** Fills the draft into a form without components. */
export function restoreDraft(form: HTMLFormElement, storage: KeyValueStore): void {
  const draft = readDraft(storage);
  if (draft === null) {
    return;
  }
  for (const element of form.querySelectorAll<HTMLInputElement>("[name]")) {
    const field = textFields.find((name) => name === element.name);
    if (field !== undefined) {
      element.value = draft[field];
    } else if (element.name === "interests") {
      element.checked = draft.interests.some((id) => id === element.value);
    }
  }
}
