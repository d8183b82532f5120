/**
 * The script that turns `<div id="map">` into a map (see `Map.ts`): plain JavaScript for browsers, with Leaflet's
 * global `L`. Without the script, the fields of the form do the same. Names are added as text nodes, because Leaflet
 * reads strings as HTML.
 */
export const mapScript = `"use strict"
;(() => {
  const box = document.getElementById("map")
  if (box === null || typeof L === "undefined") return
  const [lat, lon, radius] = ["lat", "lon", "radius_m"].map((id) => document.getElementById(id))
  const places = JSON.parse(box.dataset.places)

  // Leaflet drops a tile by loading an image from a data: address, which the page's policy does not allow. These
  // methods drop it without that.
  const Tiles = L.TileLayer.extend({
    _abortLoading() {},
    _removeTile(key) {
      L.GridLayer.prototype._removeTile.call(this, key)
    }
  })

  const number = ({ value }) => {
    const text = value.trim().replace(",", ".")
    return /^[-+]?\\d{1,9}(?:\\.\\d{1,20})?$/.test(text) ? Number(text) : NaN
  }
  const typed = () => {
    const [y, x] = [number(lat), number(lon)]
    return Math.abs(y) <= 90 && Math.abs(x) <= 180 ? L.latLng(y, x) : null
  }
  const radiusM = () => {
    const metres = number(radius)
    return metres > 0 && metres <= 1e6 ? metres : 150
  }

  const tiles = box.dataset.tiles
  const hasSomething = () => tiles !== undefined || places.length > 0 || typed() !== null
  let map
  let chosen

  const start = () => {
    for (const hidden of document.querySelectorAll("[data-with-map]")) hidden.hidden = false
    map = L.map(box, { worldCopyJump: true, scrollWheelZoom: false, maxZoom: 19, minZoom: 1 })
    map.attributionControl.setPrefix(false)
    if (tiles !== undefined) {
      new Tiles(tiles, { maxZoom: 19, attribution: box.dataset.attribution, referrerPolicy: "strict-origin" }).addTo(map)
    }
    L.control.scale({ imperial: false }).addTo(map)
    // Scrolling past the map must not zoom it.
    map.on("focus click", () => map.scrollWheelZoom.enable())
    map.on("blur", () => map.scrollWheelZoom.disable())
    const all = L.latLngBounds([])
    for (const place of places) {
      const name = document.createElement("span")
      name.textContent = place.label
      const circle = L.circle([place.lat, place.lon], { radius: place.radius_m, className: "place", interactive: false })
      // A circle knows its bounds once it is on a map that has a view.
      all.extend(L.latLng(place.lat, place.lon).toBounds(2 * place.radius_m))
      circle.bindTooltip(name, { permanent: true, direction: "center", className: "place-name" }).addTo(map)
    }
    const at = typed()
    if (at !== null) all.extend(at.toBounds(2 * radiusM()))
    if (all.isValid()) map.fitBounds(all.pad(0.3), { maxZoom: 17 })
    else map.setView([25, 10], 2)
    map.on("click", ({ latlng }) => choose(latlng))
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.target !== box) return
      event.preventDefault()
      choose(map.getCenter())
    })
  }

  const draw = () => {
    if (map === undefined) {
      if (!hasSomething()) return
      start()
    }
    const at = typed()
    if (chosen !== undefined) chosen.remove()
    chosen = at === null ? undefined : L.circle(at, { radius: radiusM(), className: "place chosen", interactive: false }).addTo(map)
  }

  const choose = (latlng) => {
    const at = latlng.wrap()
    lat.value = at.lat.toFixed(6)
    lon.value = at.lng.toFixed(6)
    draw()
  }

  for (const field of [lat, lon, radius]) {
    field.addEventListener("input", draw)
    field.addEventListener("change", () => {
      const at = typed()
      if (map !== undefined && at !== null && !map.getBounds().contains(at)) {
        map.setView(at, Math.max(map.getZoom(), 15))
      }
    })
  }

  const here = document.getElementById("here")
  if (here !== null && window.isSecureContext && "geolocation" in navigator) {
    document.getElementById("here-row").hidden = false
    const said = document.getElementById("here-said")
    here.addEventListener("click", () => {
      said.textContent = "Looking for where you are…"
      navigator.geolocation.getCurrentPosition(
        ({ coords }) => {
          said.textContent = "Found, to within " + Math.ceil(coords.accuracy) + " metres."
          const at = L.latLng(coords.latitude, coords.longitude)
          choose(at)
          map.setView(at, Math.max(map.getZoom(), 16))
        },
        () => {
          said.textContent = "Your browser did not say where you are."
        },
        { enableHighAccuracy: true, timeout: 20000, maximumAge: 60000 }
      )
    })
  }

  draw()
})()
`
