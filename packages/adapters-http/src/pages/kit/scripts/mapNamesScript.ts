/**
 * The part of the map's script that writes names on the map: `L.mapNames(map, own, base, say, kept)`. The script leaves
 * out a name that finds no free position: names must not cover other names, the controls of the map or a box that must
 * stay free (`kept`), and must be within the map. The reader's own places come first, then the names of the base map,
 * with the most important names first. From zoom 8 on, where the map shows no town, the script writes the text
 * `say(name, km, turn)` about the nearest town. `turn` is the direction of the town, from 0 for north to 7 for
 * north-west. Names are added as text nodes, because Leaflet reads strings as HTML.
 */
export const mapNamesScript = `"use strict"
;(() => {
  if (typeof L === "undefined") return
  const [GAP_X, GAP_Y] = [7, 2]
  const overlaps = (a, b) =>
    a.left < b.right + GAP_X && b.left < a.right + GAP_X && a.top < b.bottom + GAP_Y && b.top < a.bottom + GAP_Y

  // The positions that a name may have around its point. Each position is the left and the top edge of the name's box,
  // computed from the size of the box.
  const AROUND = {
    own: [
      (w, h, r) => [-w / 2, -r - h - 4],
      (w, h, r) => [-w / 2, r + 4],
      (w, h, r) => [r + 4, -h / 2],
      (w, h, r) => [-r - w - 4, -h / 2]
    ],
    town: [
      (w, h) => [6, -h / 2],
      (w, h) => [-w - 6, -h / 2],
      (w, h) => [-w / 2, -h - 5],
      (w, h) => [-w / 2, 5]
    ],
    country: [(w, h) => [-w / 2, -h / 2]]
  }

  L.mapNames = (map, own, base, say, kept) => {
    const pane = map.createPane("names")
    pane.classList.add("leaflet-zoom-hide")
    const far = L.control({ position: "topright" })
    far.onAdd = () => {
      far.box = document.createElement("div")
      far.box.className = "map-far"
      far.box.hidden = true
      return far.box
    }
    if (base !== undefined) far.addTo(map)

    const span = (className, text) => {
      const element = document.createElement("span")
      element.className = className
      element.textContent = text
      return element
    }

    // Puts a name at the first free position. Returns whether there was a free position.
    const put = (taken, element, kind, at, reach) => {
      pane.append(element)
      const [width, height] = [element.offsetWidth, element.offsetHeight]
      const point = map.latLngToContainerPoint(at)
      const size = map.getSize()
      for (const place of AROUND[kind]) {
        const [dx, dy] = place(width, height, reach)
        const [left, top] = [Math.round(point.x + dx), Math.round(point.y + dy)]
        const box = { left, top, right: left + width, bottom: top + height }
        const isInside = left >= 2 && top >= 2 && box.right <= size.x - 2 && box.bottom <= size.y - 2
        if (!isInside || taken.some((other) => overlaps(box, other))) continue
        taken.push(box)
        L.DomUtil.setPosition(element, map.containerPointToLayerPoint([left, top]))
        return true
      }
      element.remove()
      return false
    }

    // Returns the boxes of Leaflet's own controls, which no name may cover.
    const controls = () => {
      const frame = map.getContainer().getBoundingClientRect()
      return [...map.getContainer().querySelectorAll(".leaflet-control")].map((one) => {
        const { bottom, left, right, top } = one.getBoundingClientRect()
        return { left: left - frame.left, right: right - frame.left, top: top - frame.top, bottom: bottom - frame.top }
      })
    }

    const write = () => {
      pane.replaceChildren()
      far.box?.replaceChildren()
      const taken = [...controls(), ...kept()]
      for (const { at, name, reach } of own()) put(taken, span("place-name", name), "own", at, reach())
      if (base === undefined) return
      let towns = 0
      for (const { at, name, rank } of base.names(map)) {
        const point = map.latLngToContainerPoint(at)
        const dot = { left: point.x - 3, right: point.x + 3, top: point.y - 3, bottom: point.y + 3 }
        if (rank > 0 && taken.some((other) => overlaps(dot, other))) continue
        const element = span(rank === 0 ? "country-name" : rank < 5 ? "town-name large" : "town-name", name)
        element.setAttribute("aria-hidden", "true")
        if (!put(taken, element, rank === 0 ? "country" : "town", at, 0) || rank === 0) continue
        towns += 1
        const mark = span("town-dot", "")
        pane.append(mark)
        L.DomUtil.setPosition(mark, map.containerPointToLayerPoint([point.x - 2, point.y - 2]))
      }
      if (far.box === undefined) return
      const nearest = towns === 0 && map.getZoom() >= 8 ? base.nearest(map) : undefined
      far.box.hidden = nearest === undefined
      if (nearest === undefined) return
      const [from, to] = [map.project(map.getCenter(), 10), map.project(nearest.at, 10)]
      const turn = Math.round((Math.atan2(to.x - from.x, from.y - to.y) / Math.PI) * 4)
      const digits = nearest.metres < 9950 ? 1 : 0
      const km = (nearest.metres / 1000).toLocaleString(document.documentElement.lang, {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
        useGrouping: false
      })
      far.box.textContent = say(nearest.name, km, (turn + 8) % 8)
    }

    let waiting
    const soon = () => {
      cancelAnimationFrame(waiting)
      waiting = requestAnimationFrame(write)
    }
    map.on("moveend zoomend resize", soon)
    base?.on("names", soon)
    soon()
    return soon
  }
})()
`
