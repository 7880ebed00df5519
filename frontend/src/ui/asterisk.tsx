/** Marks a required field for the eye; `aria-required` says it to everyone else. */
export function Asterisk() {
  return (
    <span className="asterisk" aria-hidden="true">
      *
    </span>
  );
}
