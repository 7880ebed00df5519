import "./arrow.css";

/** The arrow of a link with the class `arrow-link`. */
export function Arrow() {
  return (
    <svg className="arrow" viewBox="0 0 24 12" aria-hidden="true">
      <path d="M0 6H22M17 1l5 5-5 5" fill="none" stroke="currentColor" strokeWidth="1.25" />
    </svg>
  );
}
