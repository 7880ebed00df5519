import { useEffect, useState } from "react";
import "./toast.css";

interface ToastProps {
  /** What to say; it is said again whenever the serial changes. `null` says nothing. */
  message: { serial: number; text: string; urgent: boolean } | null;
  dismissLabel: string;
}

const SHOWN_FOR = 8_000;

/** A passing word at the edge of the window. Never the only confirmation: the page says the same and keeps it. */
export function Toast({ message, dismissLabel }: ToastProps) {
  const [dismissed, setDismissed] = useState(0);
  const serial = message?.serial ?? 0;
  const shown = message !== null && serial !== dismissed;

  useEffect(() => {
    if (!shown) {
      return;
    }
    const timer = setTimeout(() => setDismissed(serial), SHOWN_FOR);
    return () => clearTimeout(timer);
  }, [shown, serial]);

  return (
    <div className="toast-region" role={message?.urgent ? "alert" : "status"}>
      {shown && (
        <div key={serial} className="toast">
          <p>{message.text}</p>
          <button
            type="button"
            className="toast-dismiss"
            aria-label={dismissLabel}
            onClick={() => setDismissed(serial)}
          >
            <svg viewBox="0 0 12 12" aria-hidden="true">
              <path d="M1 1l10 10M11 1L1 11" />
            </svg>
          </button>
        </div>
      )}
    </div>
  );
}
