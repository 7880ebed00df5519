import { startTransition, useOptimistic } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router-dom";
import { plans } from "#art/plans.ts";
import {
  type FloorPlanId,
  findPlan,
  floorPlans,
  planNamed,
  squareMetres,
  withThousands,
} from "#content/floor-plans.ts";
import { useLanguage } from "#i18n/use-language.ts";
import "./compare-plans.css";
import { Rooms } from "./floor-plan-card.tsx";
import { compareValue, usePlansAddress } from "./plans-address.ts";

const places = ["first", "second"] as const;

/** Two plans side by side at one scale. The address names them, as `?compare=B1,C2N`. */
export function ComparePlans() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { compared, addressWith } = usePlansAddress();
  // The address follows in a transition, perhaps after the next choice.
  const [chosen, setChosen] = useOptimistic(compared);
  const [first, second] = chosen;

  function choose(place: number, id: FloorPlanId | null): void {
    const ids = chosen.map((other, index) => (index === place ? id : other));
    startTransition(() => {
      setChosen(ids);
      const address = addressWith({ compare: compareValue(ids) });
      navigate(address, { replace: true, state: { inPlace: true } });
    });
  }

  return (
    <section className="compare page-width" aria-labelledby="compare-heading">
      <h2 id="compare-heading" className="h3">
        {t("plans.compare.heading")}
      </h2>
      <div className="compare-choices pair">
        {places.map((name, place) => (
          <select
            key={name}
            className="field-input"
            aria-label={t(`plans.compare.${name}`)}
            value={chosen[place] ?? ""}
            onChange={(event) => choose(place, planNamed(event.target.value))}
          >
            <option value="">{t("plans.compare.choose")}</option>
            {floorPlans.map(({ id }) => (
              <option key={id} value={id}>
                {t(`unit.${id}.heading`)}
              </option>
            ))}
          </select>
        ))}
      </div>
      <div aria-live="polite">{first && second && <SideBySide pair={[first, second]} />}</div>
    </section>
  );
}

function SideBySide({ pair }: { pair: FloorPlanId[] }) {
  const { t } = useTranslation();
  const language = useLanguage();
  // Every drawing has the same number of pixels to the metre.
  const widest = Math.max(...pair.map((id) => plans[id].large.width));
  return (
    <>
      <div className="compare-pair">
        {pair.map((id, place) => {
          const { large } = plans[id];
          const plan = findPlan(id);
          const name = t(`unit.${id}.heading`);
          return (
            <figure key={places[place]}>
              <img
                src={large[language]}
                width={large.width}
                height={large.height}
                alt={t("plans.picture", { name })}
                style={{ width: `${(100 * large.width) / widest}%` }}
              />
              <figcaption>
                <b>{name}</b>
                <p>
                  {withThousands(plan.size)} {t("areaUnit")} ({squareMetres(plan)}{" "}
                  {t("plans.table.squareMetres")})
                </p>
                <Rooms of={plan} />
              </figcaption>
            </figure>
          );
        })}
      </div>
      <p className="compare-scale small quiet">{t("plans.compare.scale")}</p>
    </>
  );
}
