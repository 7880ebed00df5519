import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";

const days = ["weekday", "weekend"] as const;
const hours = ["morning", "afternoon", "evening"] as const;

type Time = `${(typeof days)[number]}.${(typeof hours)[number]}`;

const times = days.flatMap((day) => hours.map((hour): Time => `${day}.${hour}`));

interface PreferredTimeProps {
  /** Whether the show flat is asked for: whoever no longer does names no time for it. */
  offered: boolean;
  /** Puts a sentence into the question, in place of the earlier one. */
  write: (sentence: string, earlier: string) => void;
}

/** When the visitor would like to see the show flat: a sentence in the question, which can be edited there. */
export function PreferredTime({ offered, write }: PreferredTimeProps) {
  const { t } = useTranslation();
  const [chosen, setChosen] = useState<readonly Time[]>([]);
  const written = useRef("");
  const list = times
    .filter((time) => chosen.includes(time))
    .map((time) => t(`registration.visit.${time}`));
  const sentence =
    !offered || list.length === 0
      ? ""
      : t("registration.visit.sentence", { times: list.join(t("registration.visit.separator")) });
  const latest = useRef(write);

  useEffect(() => {
    latest.current = write;
  });

  useEffect(() => {
    if (sentence !== written.current) {
      latest.current(sentence, written.current);
      written.current = sentence;
    }
  }, [sentence]);

  function toggle(time: Time): void {
    setChosen(chosen.includes(time) ? chosen.filter((each) => each !== time) : [...chosen, time]);
  }

  if (!offered) {
    return null;
  }
  return (
    <fieldset className="visit">
      <legend className="field-legend">
        {t("registration.visit.legend")}{" "}
        <span className="field-optional">{t("registration.optional")}</span>
      </legend>
      <div className="visit-times">
        {times.map((time) => (
          <label key={time} className="visit-time">
            <input
              type="checkbox"
              className="visually-hidden"
              checked={chosen.includes(time)}
              onChange={() => toggle(time)}
            />
            {t(`registration.visit.${time}`)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
