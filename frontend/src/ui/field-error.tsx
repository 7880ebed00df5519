/** Id of the line that holds the error of a field. */
export function errorId(field: string): string {
  return `${field}-error`;
}

/** The line under a field; it keeps its height while there is nothing to say. */
export function FieldError({ id, children }: { id: string; children: string | undefined }) {
  return (
    <p className="field-error" id={errorId(id)}>
      {children}
    </p>
  );
}
