import type { Geometry } from "@place-access/domain/places"
import { Html, nothing } from "../../html/Html.js"
import * as Land from "./Land.js"

/**
 * This module draws a small picture of the region around a place. The picture shows no streets, because the base map
 * has none. Screen readers get `Land.nearestTown` and the coordinates instead. Decision places-5.
 */

const WIDTH = 240
const HEIGHT = 110
/** The width of the ground that the picture shows, in metres. */
const WIDTH_M = 90_000

export const miniMap = (centre: Geometry.Point): Html => {
  if (!Land.isOnMap(centre)) return nothing
  const view: Land.LandView = { centre, width: WIDTH, height: HEIGHT, unitsPerM: WIDTH / WIDTH_M }
  return new Html(
    `<svg class="mini drawn" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${Land.ground(view)}${Land.towns(
      view,
      {
        most: 2,
        letter: 6,
        line: 16,
        mark: { x: WIDTH / 2, y: HEIGHT / 2 }
      }
    )}<circle class="here" cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="6"/></svg>`
  )
}
