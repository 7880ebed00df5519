import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router-dom";
import { plans } from "#art/plans.ts";
import { type FloorPlanId, floorPlans, planNamed, squareMetres } from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import { useHydrated } from "#ui/use-hydrated.ts";
import { Rooms } from "./rooms.tsx";
import "./compare-plans.css";

/** Two plans side by side, at one scale; the address names them, as `?compare=B1,C2N`. */
export function ComparePlans() {
  const { t } = useTranslation();
  const { search } = useLocation();
  const navigate = useNavigate();
  // The document is the same for every comparison.
  const named = useHydrated() ? new URLSearchParams(search).get("compare") : null;
  const [first = null, second = null] = (named ?? "").split(",").map(planNamed);

  function choose(one: FloorPlanId | null, other: FloorPlanId | null): void {
    const query = new URLSearchParams(window.location.search);
    query.set("compare", [one, other].join(","));
    navigate(
      { search: query.toString().replace("%2C", ",") },
      { replace: true, state: { inPlace: true } },
    );
  }

  const section = useRef<HTMLElement>(null);
  const chooseInitially = useRef(choose);

  // What was chosen before the page was live.
  useEffect(() => {
    const [one = null, other = null] = [...(section.current?.querySelectorAll("select") ?? [])].map(
      ({ value }) => planNamed(value),
    );
    if (one !== null || other !== null) {
      chooseInitially.current(one, other);
    }
  }, []);

  return (
    <section ref={section} className="compare page-width" aria-labelledby="compare-heading">
      <h2 id="compare-heading">{t("plans.compare.heading")}</h2>
      <div className="compare-choices">
        <Choice
          name={t("plans.compare.first")}
          chosen={first}
          onChoose={(id) => choose(id, second)}
        />
        <Choice
          name={t("plans.compare.second")}
          chosen={second}
          onChoose={(id) => choose(first, id)}
        />
      </div>
      <div aria-live="polite">
        {first !== null && second !== null && <SideBySide pair={[first, second]} />}
      </div>
    </section>
  );
}

interface ChoiceProps {
  name: string;
  chosen: FloorPlanId | null;
  onChoose: (id: FloorPlanId | null) => void;
}

function Choice({ name, chosen, onChoose }: ChoiceProps) {
  const { t } = useTranslation();
  return (
    <select
      className="field-input"
      aria-label={name}
      value={chosen ?? ""}
      onChange={(event) => onChoose(planNamed(event.target.value))}
    >
      <option value="">{t("plans.compare.choose")}</option>
      {floorPlans.map(({ id }) => (
        <option key={id} value={id}>
          {t(`plans.unit.${id}.heading`)}
        </option>
      ))}
    </select>
  );
}

function SideBySide({ pair }: { pair: [FloorPlanId, FloorPlanId] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  // The drawings are as many pixels wide as their plans are metres, times one number for all.
  const widest = Math.max(...pair.map((id) => plans[id].large.width));
  return (
    <>
      <div className="compare-pair">
        {pair.map((id, place) => {
          const { large } = plans[id];
          const plan = floorPlans.find((each) => each.id === id) as (typeof floorPlans)[number];
          const name = t(`plans.unit.${id}.heading`);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: there are two places, which never change.
            <figure key={place}>
              <img
                src={large[language]}
                width={large.width}
                height={large.height}
                alt={t("plans.picture", { name })}
                style={{ width: `${(100 * large.width) / widest}%` }}
              />
              <figcaption>
                <b>{name}</b>
                <span>
                  {plan.size.toLocaleString("en")} {t("plans.areaUnit")} ({squareMetres(plan)}{" "}
                  {t("plans.glance.squareMetres")})
                </span>
                <span>
                  <Rooms of={plan} />
                </span>
              </figcaption>
            </figure>
          );
        })}
      </div>
      <p className="compare-scale">{t("plans.compare.scale")}</p>
    </>
  );
}
