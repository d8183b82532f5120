import { GROUPS } from "../Form.js"

/**
 * The script that turns `<div id="map">` into a map (see `Map.ts`): plain JavaScript for browsers, with Leaflet's
 * global `L` and the two scripts for the base map and the names. Without the script, people type into the fields of the
 * form. The texts come from `data-texts` of the script's element.
 */
export const mapScript = `"use strict"
;(function startMap(texts) {
  const say = (text, values) => text.replace(/\\{(\\w+)\\}/g, (_, name) => values[name])
  const box = document.getElementById("map")
  if (box === null || typeof L === "undefined") return
  // A map in a closed part of the page has no size yet, so the script waits until the part is opened.
  const closed = box.closest("details:not([open])")
  if (closed !== null) return closed.addEventListener("toggle", () => startMap(texts), { once: true })
  const [lat, lon, radius] = ["lat", "lon", "radius_m"].map((id) => document.getElementById(id))
  const places = JSON.parse(box.dataset.places)
  const newest = box.dataset.newest === undefined ? null : JSON.parse(box.dataset.newest)
  const { attribution, base: baseAddress, tiles } = box.dataset
  const [LEAST_M, MOST_M] = [100, 10000]

  // Leaflet cancels the download of a tile by loading an image from a data: address, which the page's policy does not
  // allow. The methods below replace Leaflet's own methods, so that no data: address is loaded.
  const Tiles = L.TileLayer.extend({
    _abortLoading() {},
    _removeTile(key) {
      L.GridLayer.prototype._removeTile.call(this, key)
    }
  })

  const number = (given) => {
    const text = given.replace(",", ".")
    return /^[-+]?\\d{1,9}(?:\\.\\d{1,20})?$/.test(text) ? Number(text) : NaN
  }
  const typed = () => {
    const [y, x] = [number(lat.value.trim()), number(lon.value.trim())]
    return Math.abs(y) <= 90 && Math.abs(x) <= 180 ? L.latLng(y, x) : null
  }
  // A radius has at least 100 m. So in this field 1,000 and 10.000 can only mean thousands. The server reads them
  // in the same way.
  const radiusM = () => {
    const text = radius.value.trim()
    const digits = text.replace(/\\D/g, "")
    const metres = number(/${GROUPS.source}/.test(text) && digits.length < 6 ? digits : text)
    return metres > 0 && metres <= 1e6 ? metres : 150
  }

  for (const hidden of document.querySelectorAll("[data-with-map]")) hidden.hidden = false
  // The fields for coordinates are for people without the map, so the script closes the element with these fields. A
  // field with a fault must stay visible.
  const byHand = document.getElementById("by-hand")
  if (byHand !== null && byHand.querySelector("[aria-invalid]") === null) byHand.open = false
  for (const field of [lat, lon]) field.addEventListener("invalid", () => byHand !== null && (byHand.open = true))

  const moves = !matchMedia("(prefers-reduced-motion: reduce)").matches
  const map = L.map(box, {
    worldCopyJump: true,
    scrollWheelZoom: false,
    maxZoom: 19,
    minZoom: 1,
    zoomControl: false,
    zoomAnimation: moves,
    markerZoomAnimation: moves,
    fadeAnimation: moves,
    inertia: moves
  })
  // Leaflet has no option that switches off the animation after an arrow key. So the next lines replace the method
  // panBy for people who want less motion.
  const panBy = map.panBy.bind(map)
  if (!moves) map.panBy = (offset, options) => panBy(offset, { ...options, animate: false })
  L.control.zoom({ zoomInTitle: texts.zoomIn, zoomOutTitle: texts.zoomOut }).addTo(map)
  map.attributionControl.setPrefix(false)
  const base = tiles === undefined ? L.baseMap(baseAddress, { attribution, maxZoom: 19 }) : undefined
  if (base === undefined) new Tiles(tiles, { maxZoom: 19, attribution, referrerPolicy: "strict-origin" }).addTo(map)
  L.control.scale({ imperial: false }).addTo(map)
  // The wheel zooms the map only after a click or the focus, because people who scroll past the map do not want to zoom
  // it.
  map.on("focus click", () => map.scrollWheelZoom.enable())
  map.on("blur", () => map.scrollWheelZoom.disable())

  // The map repeats to the east and west. Returns the point's copy nearest to the middle, perhaps beyond 180.
  const near = (at, middle = map.getCenter()) => L.copyNear(at, middle)

  // The area that the map shows first: around the chosen point, or else around the newest location and the places near
  // it, or else around all places.
  const view = () => {
    const at = typed()
    if (at !== null) return at.toBounds(4 * radiusM())
    const bounds = L.latLngBounds([])
    const centre = newest === null ? null : L.latLng(newest.lat, newest.lon)
    if (centre !== null) bounds.extend(centre.toBounds(1500))
    const middle = centre ?? (places.length === 0 ? null : L.latLng(places[0].lat, places[0].lon))
    for (const place of places) {
      const here = near(L.latLng(place.lat, place.lon), middle)
      if (centre === null || map.distance(centre, here) < 30000) bounds.extend(here.toBounds(3 * place.radius_m))
    }
    return bounds.isValid() ? bounds : null
  }
  const first = view()
  if (first === null) map.setView([25, 10], 2)
  // The base map has no streets. So its greatest zoom is lower: at a greater zoom, the map would show nothing by which
  // to recognise the area.
  else map.fitBounds(first, { maxZoom: base === undefined ? 17 : 15 })
  base?.addTo(map)
  // When the browser changes between light and dark colours, the base map is drawn again in the new colours.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => base?.redraw())

  const reachOf = (circle) => () => {
    const { lat: y, lng: x } = circle.getLatLng()
    const edge = L.latLng(y, x + circle.getRadius() / 111320 / Math.max(0.01, Math.cos((y * Math.PI) / 180)))
    return map.latLngToContainerPoint(edge).x - map.latLngToContainerPoint([y, x]).x
  }
  const own = []
  for (const { label, lat: y, lon: x, radius_m } of places) {
    const circle = L.circle(near(L.latLng(y, x)), { radius: radius_m, className: "place", interactive: false })
    own.push({ name: label, layer: circle.addTo(map), reach: reachOf(circle) })
  }
  if (newest !== null) {
    const at = near(L.latLng(newest.lat, newest.lon))
    const layer = L.circleMarker(at, { radius: 6, className: "newest", interactive: false })
    own.push({ name: texts.newest, layer: layer.addTo(map), reach: () => 6 })
  }
  const owned = () => own.map(({ layer, name, reach }) => ({ name, at: layer.getLatLng(), reach }))
  const far = (name, km, turn) => say(texts.far, { name, km, direction: texts.directions[turn] })
  // The circle that the form describes, with a pin that moves it and a knob that changes its size. Undefined while the
  // form has no centre.
  let chosen
  // Names must cover neither the pin nor the point that the pin marks. The box that this function returns contains
  // both.
  const pinned = () => {
    if (chosen === undefined) return []
    const { x, y } = map.latLngToContainerPoint(chosen.circle.getLatLng())
    return [{ left: x - 14, right: x + 14, top: y - 24, bottom: y + 4 }]
  }
  const rename = L.mapNames(map, owned, base, far, pinned)
  const show = () => {
    const point = typed()
    if (point === null) {
      for (const part of chosen === undefined ? [] : [chosen.circle, chosen.pin, chosen.knob]) part.remove()
      chosen = undefined
      return
    }
    const at = near(point)
    chosen ??= begin(at)
    const { circle, knob, pin } = chosen
    circle.setLatLng(at).setRadius(radiusM())
    if (!pin.isDragged) pin.setLatLng(at)
    if (!knob.isDragged) placeKnob()
    rename()
    const element = knob.getElement()
    if (element !== undefined) {
      element.setAttribute("aria-valuenow", String(Math.round(radiusM())))
      element.setAttribute("aria-valuetext", say(texts.metres, { metres: Math.round(radiusM()) }))
    }
  }
  const placeKnob = () => {
    if (chosen === undefined) return
    const { circle, knob } = chosen
    const at = circle.getLatLng()
    const reach = reachOf(circle)()
    // The knob is hidden on a small circle, because it would cover the pin.
    const isRoomy = reach >= 22
    if (!isRoomy) knob.remove()
    else if (!map.hasLayer(knob)) knob.addTo(map)
    if (isRoomy) knob.setLatLng(map.containerPointToLatLng(map.latLngToContainerPoint(at).add([reach, 0])))
  }
  const handle = (at, className, label) => {
    const icon = L.divIcon({ className: "handle " + className, iconSize: [28, 28] })
    const marker = L.marker(at, { icon, draggable: true, autoPan: true, alt: label, title: label, zIndexOffset: 1000 })
    marker.on("dragstart", () => (marker.isDragged = true))
    marker.on("dragend", () => {
      marker.isDragged = false
      show()
    })
    return marker
  }
  const keys = (element, act) =>
    element.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key]
      if (step === undefined) return
      event.preventDefault()
      event.stopPropagation()
      act(step, event.shiftKey ? 10 : 1)
    })
  const begin = (at) => {
    const circle = L.circle(at, { radius: radiusM(), className: "place chosen", interactive: false }).addTo(map)
    const pin = handle(at, "pin", texts.centre).addTo(map)
    pin.on("drag", () => choose(pin.getLatLng()))
    const metre = 1 / 111320
    keys(pin.getElement(), ([x, y], times) => {
      const { lat: north, lng: east } = pin.getLatLng()
      const wide = metre / Math.max(0.01, Math.cos((north * Math.PI) / 180))
      choose(L.latLng(north + y * times * 10 * metre, east + x * times * 10 * wide))
      if (!map.getBounds().contains(pin.getLatLng())) map.panTo(pin.getLatLng())
    })
    const knob = handle(at, "knob", texts.edge)
    knob.on("add", () => {
      const element = knob.getElement()
      element.setAttribute("role", "slider")
      element.setAttribute("aria-label", texts.size)
      element.setAttribute("aria-valuemin", String(LEAST_M))
      element.setAttribute("aria-valuemax", String(MOST_M))
      keys(element, ([x, y], times) => resize(radiusM() + (x + y) * times * 10))
    })
    knob.on("drag", () => resize(map.distance(circle.getLatLng(), knob.getLatLng())))
    return { circle, pin, knob }
  }
  map.on("zoomend", placeKnob)
  // The map repeats to the east and west. After a move, another copy of a point may be nearest to the map's middle.
  map.on("move", () => {
    const layers = own.map(({ layer }) => layer)
    if (chosen !== undefined && !chosen.pin.isDragged && !chosen.knob.isDragged) {
      layers.push(chosen.circle, chosen.pin, chosen.knob)
    }
    for (const layer of layers) {
      const [at, copy] = [layer.getLatLng(), near(layer.getLatLng())]
      if (at.lng !== copy.lng) layer.setLatLng(copy)
    }
  })

  const choose = (latlng) => {
    const at = latlng.wrap()
    lat.value = at.lat.toFixed(6)
    lon.value = at.lng.toFixed(6)
    show()
  }
  const resize = (metres) => {
    const step = metres < 1000 ? 10 : 50
    radius.value = String(Math.min(MOST_M, Math.max(LEAST_M, Math.round(metres / step) * step)))
    show()
  }
  // A click chooses a point. Below zoom 13, the point cannot be exact, so the map also zooms in, and the next click can
  // choose a better point.
  const pick = (latlng) => {
    choose(latlng)
    const zoom = map.getZoom()
    if (zoom < 13) map.setView(latlng, Math.min(13, zoom + 3))
  }
  map.on("click", ({ latlng }) => pick(latlng))
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target !== box) return
    event.preventDefault()
    pick(map.getCenter())
  })

  for (const field of [lat, lon, radius]) {
    field.addEventListener("input", show)
    field.addEventListener("change", () => {
      const point = typed()
      if (point === null || map.getBounds().contains(near(point))) return
      map.setView(near(point), Math.max(map.getZoom(), 15))
    })
  }

  const here = document.getElementById("here")
  if (here !== null && window.isSecureContext && "geolocation" in navigator) {
    document.getElementById("here-row").hidden = false
    const said = document.getElementById("here-said")
    here.addEventListener("click", () => {
      said.textContent = texts.looking
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          said.textContent = say(texts.found, { metres: Math.ceil(coords.accuracy) })
          const at = L.latLng(coords.latitude, coords.longitude)
          choose(at)
          map.setView(near(at), Math.max(map.getZoom(), 16))
        },
        ({ code }) => {
          said.textContent = code === 1 ? texts.forbidden : texts.notFound
        },
        { enableHighAccuracy: true, timeout: 20000, maximumAge: 60000 }
      )
    })
  }

  show()
})(JSON.parse(document.currentScript.dataset.texts))
`
