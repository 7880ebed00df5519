import { useEffect } from "react";
import "./toast.css";

interface ToastProps {
  /** What to say; it is said again whenever the serial changes. `null` says nothing. */
  message: { serial: number; text: string; dismissLabel: string; good: boolean } | null;
  onDismiss: (serial: number) => void;
}

const SHOWN_FOR = 8_000;

/** A passing word. Never the only confirmation: the page says the same and keeps it. */
export function Toast({ message, onDismiss }: ToastProps) {
  const serial = message?.serial;

  useEffect(() => {
    if (serial === undefined) {
      return;
    }
    const timer = setTimeout(() => onDismiss(serial), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [serial, onDismiss]);

  const toast = message && (
    <div key={serial} className={message.good ? "toast toast-good" : "toast"}>
      <svg className="toast-sign" viewBox="0 0 24 24" aria-hidden="true">
        <path d={message.good ? "M4 12.5l5.5 5.5L20 7" : "M12 4v10M12 18v2"} />
      </svg>
      <p>{message.text}</p>
      <button
        type="button"
        className="toast-dismiss"
        aria-label={message.dismissLabel}
        onClick={() => onDismiss(message.serial)}
      >
        <svg viewBox="0 0 12 12" aria-hidden="true">
          <path d="M1 1l10 10M11 1L1 11" />
        </svg>
      </button>
    </div>
  );
  // A live region keeps its role: there is one for each.
  return (
    <div className="toast-region">
      <div role="status">{message?.good && toast}</div>
      <div role="alert">{message?.good === false && toast}</div>
    </div>
  );
}
