import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DismissButton, Icon } from "./icons.tsx";
import "./toast.css";

interface ToastProps {
  message: {
    /** What the text is about: another object is another message. */
    event: object;
    text: string;
    isGood: boolean;
  } | null;
}

const SHOWN_FOR_MS = 8_000;

/** A message over the page. Never the only confirmation: the page shows the same and keeps it. */
export function Toast({ message }: ToastProps) {
  const { t } = useTranslation();
  const region = useRef<HTMLDivElement>(null);
  const [dismissed, setDismissed] = useState<object | null>(null);
  const shown = message !== null && message.event !== dismissed ? message : null;
  const event = shown?.event;

  useEffect(() => {
    if (event === undefined) {
      return;
    }
    const timer = setInterval(() => {
      if (region.current?.querySelector(".toast:is(:hover, :focus-within)") === null) {
        setDismissed(event);
      }
    }, SHOWN_FOR_MS);
    return () => clearInterval(timer);
  }, [event]);

  const toast = shown && (
    <div className={shown.isGood ? "toast toast-good" : "toast"}>
      <Icon
        className="toast-sign"
        path={shown.isGood ? "M4 12.5l5.5 5.5L20 7" : "M12 4v10M12 18v2"}
      />
      <p>{shown.text}</p>
      <DismissButton
        label={t("registration.toast.dismiss")}
        onClick={() => setDismissed(shown.event)}
      />
    </div>
  );
  // A live region keeps its role: there is one for each.
  return (
    <div className="toast-region" ref={region}>
      <div role="status">{shown?.isGood && toast}</div>
      <div role="alert">{shown?.isGood === false && toast}</div>
    </div>
  );
}
