import { Timestamp } from "@place-access/domain/shared"
import { Effect } from "effect"
import { type Handlers, number, text } from "./Handlers.js"

export const iso = (millis: number): string => Timestamp.toIso(Timestamp.make(millis))
const isoOrNull = (millis: number | null): string | null => (millis === null ? null : iso(millis))

/** The requests of users in their portal, and of their phones. */
export const people: Handlers<
  | "createPlace"
  | "updatePlace"
  | "archivePlace"
  | "addDevice"
  | "removeDevice"
  | "upload"
  | "disconnect"
  | "sharePlaces"
  | "removeRuleOfUser"
> = {
  createPlace: ({ kind, label, lat, lon, radiusM, userId }, { client }) =>
    Effect.map(
      client.send({ person: userId }, "POST", "/v1/user/places", {
        json: { label, kind, lat, lon, radius_m: radiusM }
      }),
      (answer) => ({ placeId: text(answer, "id") })
    ),

  updatePlace: ({ kind, label, lat, lon, placeId, radiusM, userId }, { client }) =>
    Effect.as(
      client.send({ person: userId }, "PATCH", `/v1/user/places/${placeId}`, {
        json: { label, kind, lat, lon, radius_m: radiusM }
      }),
      null
    ),

  archivePlace: ({ placeId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/places/${placeId}`), null),

  addDevice: ({ name, userId }, { client, registry }) =>
    Effect.map(
      client.send({ person: userId }, "POST", "/v1/user/devices", { json: { name, format: "json" } }),
      (answer) => {
        const deviceId = text(answer, "id")
        registry.devices.set(deviceId, registry.secrets.alias("device-token", text(answer, "token")))
        return { deviceId }
      }
    ),

  removeDevice: ({ deviceId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/devices/${deviceId}`), null),

  upload: ({ deviceId, fixes, visits }, { client, registry }) => {
    const token = registry.secrets.raw(registry.devices.get(deviceId) ?? "nobody's")
    const locations = fixes.map(({ accuracyM, capturedAt, lat, lon }) => ({
      captured_at: iso(capturedAt),
      lat,
      lon,
      accuracy_m: accuracyM
    }))
    const stays = visits.map(({ arrival, departure, lat, lon }) => ({
      arrival: isoOrNull(arrival),
      departure: isoOrNull(departure),
      lat,
      lon
    }))
    return Effect.map(
      client.send({ token }, "POST", "/v1/phone/locations", { json: { locations, visits: stays } }),
      (answer) => ({
        accepted: number(answer, "accepted"),
        duplicates: number(answer, "duplicates"),
        quarantined: number(answer, "quarantined")
      })
    )
  },

  disconnect: ({ connectionId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/connections/${connectionId}`), null),

  sharePlaces: ({ connectionId, places, userId }, { client }) =>
    Effect.map(
      client.send({ person: userId }, "PUT", `/v1/user/connections/${connectionId}/places`, {
        json: { places: places.map((one) => ({ id: one.placeId, include_earlier_visits: one.includeEarlierVisits })) }
      }),
      (answer) => ({ placesVersion: number(answer, "places_version") })
    ),

  removeRuleOfUser: ({ connectionId, ruleId, userId }, { client }) =>
    Effect.as(client.send({ person: userId }, "DELETE", `/v1/user/connections/${connectionId}/rules/${ruleId}`), null)
}
