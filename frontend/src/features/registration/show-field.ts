import type { FieldName } from "./registration.ts";

/** Scrolls the label into view, then puts the focus on the field: the label must not hide behind the bar. */
export function showField(form: HTMLFormElement, field: FieldName): void {
  const input = form.querySelector<HTMLElement>(`[name="${field}"]`);
  if (input === null) {
    return;
  }
  const label =
    input.closest("fieldset")?.querySelector("legend") ??
    form.querySelector(`label[for="${input.id}"]`);
  label?.scrollIntoView();
  input.focus({ preventScroll: true });
}
