import { Effect, Option } from "effect"
import { listAccessLog } from "../../../../src/access-log/listAccessLog.js"
import { DisplayName, Email, Role } from "../../../../src/accounts/Account.js"
import { createAccount } from "../../../../src/accounts/createAccount.js"
import { disconnect } from "../../../../src/connection/endConnections.js"
import { archivePlace, sharePlaces } from "../../../../src/connection/changeSharedPlaces.js"
import { addDevice, authenticateDevice, removeDevice } from "../../../../src/devices/manageDevices.js"
import { DeviceName } from "../../../../src/devices/Device.js"
import { ingestFixes } from "../../../../src/fixes/ingestFixes.js"
import * as Rate from "../../../../src/limits/Rate.js"
import * as Subject from "../../../../src/limits/Subject.js"
import { takeCall } from "../../../../src/limits/spendLimits.js"
import { createPlace, updatePlace } from "../../../../src/places/managePlaces.js"
import { Latitude, Longitude, RadiusM } from "../../../../src/places/Coordinates.js"
import { PlaceKind, Label } from "../../../../src/places/Place.js"
import { PurposeStore } from "../../../../src/purposes/PurposeStore.js"
import { removeRuleOfUser } from "../../../../src/rules/manageRules.js"
import { ConnectionId, DeviceId, PlaceId, type PurposeId, RuleId, UserId } from "../../../../src/shared/Ids.js"
import type { Invalid } from "../../../../src/shared/Errors.js"
import * as Timestamp from "../../../../src/shared/Timestamp.js"
import type { Circle, LoggedAccess } from "../../Operations.js"
import { account, type Handlers, passwordOf, valid } from "./Handlers.js"

/** The key of a purpose. Oracles compare keys, but the access log has only the purpose's id. */
const keyOf = (id: PurposeId) =>
  Effect.flatMap(PurposeStore, (purposes) =>
    Effect.map(purposes.find(id), Option.match({ onNone: () => null, onSome: ({ key }) => key }))
  )

/** What users do in their portal and with their phones. */
export const people: Handlers<
  | "signUp"
  | "createPlace"
  | "updatePlace"
  | "archivePlace"
  | "addDevice"
  | "removeDevice"
  | "upload"
  | "disconnect"
  | "sharePlaces"
  | "removeRuleOfUser"
  | "readAccessLog"
> = {
  signUp: ({ email, roles }, registry) =>
    Effect.gen(function* () {
      const made = yield* createAccount({
        email: yield* valid(Email, "email", email),
        password: passwordOf(0, registry),
        displayName: DisplayName.make(email.slice(0, email.indexOf("@"))),
        roles: Role.literals.filter((role) => roles.includes(role))
      })
      registry.accounts.set(made.id, made)
      if (roles.includes("admin")) registry.staff = made
      return { userId: made.id }
    }),

  createPlace: ({ userId, label, kind, ...shape }) =>
    Effect.gen(function* () {
      const place = yield* createPlace(UserId.make(userId), {
        label: yield* valid(Label, "label", label),
        kind: yield* valid(PlaceKind, "kind", kind),
        circle: yield* circle(shape)
      })
      return { placeId: place.id }
    }),

  updatePlace: ({ userId, placeId, label, kind, ...shape }) =>
    Effect.gen(function* () {
      yield* updatePlace(
        UserId.make(userId),
        PlaceId.make(placeId),
        {
          label: yield* valid(Label, "label", label),
          kind: yield* valid(PlaceKind, "kind", kind),
          ...(yield* circle(shape))
        },
        "unchecked"
      )
      return null
    }),

  archivePlace: ({ userId, placeId }) => Effect.as(archivePlace(UserId.make(userId), PlaceId.make(placeId)), null),

  addDevice: ({ userId, name }, registry) =>
    Effect.gen(function* () {
      const draft = { name: yield* valid(DeviceName, "name", name), format: "json" } as const
      const { device, token } = yield* addDevice(UserId.make(userId), draft)
      registry.devices.set(device.id, registry.secrets.alias("device-token", token))
      return { deviceId: device.id }
    }),

  removeDevice: ({ userId, deviceId }) => Effect.as(removeDevice(UserId.make(userId), DeviceId.make(deviceId)), null),

  upload: ({ deviceId, fixes, visits }, { devices, secrets }) =>
    Effect.gen(function* () {
      const device = yield* authenticateDevice(secrets.raw(devices.get(deviceId) ?? "nobody's"))
      const { isAdmitted } = yield* takeCall(Subject.device(device.id), Rate.UPLOADS)
      if (!isAdmitted) return yield* Effect.fail({ _tag: "RateLimited" })
      const { accepted, duplicates, quarantined } = yield* ingestFixes(
        device,
        fixes.map((fix) => ({ ...fix, capturedAt: Timestamp.make(fix.capturedAt) })),
        visits.map(({ arrival, departure, lat, lon }) => ({
          arrival: moment(arrival),
          departure: moment(departure),
          lat,
          lon,
          accuracyM: null
        }))
      )
      return { accepted, duplicates, quarantined }
    }),

  disconnect: ({ userId, connectionId }) =>
    Effect.as(disconnect(UserId.make(userId), ConnectionId.make(connectionId)), null),

  sharePlaces: ({ userId, connectionId, places }) =>
    Effect.map(
      sharePlaces(
        UserId.make(userId),
        ConnectionId.make(connectionId),
        places.map(({ includeEarlierVisits, placeId }) => ({ placeId: PlaceId.make(placeId), includeEarlierVisits })),
        "unchecked"
      ),
      ({ placesVersion }) => ({ placesVersion })
    ),

  removeRuleOfUser: ({ userId, connectionId, ruleId }) =>
    Effect.as(removeRuleOfUser(UserId.make(userId), ConnectionId.make(connectionId), RuleId.make(ruleId)), null),

  readAccessLog: ({ userId }, registry) =>
    Effect.gen(function* () {
      const { id } = yield* account(registry, userId)
      const entries: Array<LoggedAccess> = []
      let cursor: string | undefined
      do {
        const page = yield* listAccessLog(id, {}, 500, cursor)
        for (const { purpose, ...entry } of page.entries) {
          const key = purpose === null ? null : yield* keyOf(purpose.id)
          const { id, at, appId, connectionId, endpoint, status, error, disclosed, times } = entry
          entries.push({ id, at, appId, connectionId, endpoint, purpose: key, status, error, disclosed, times })
        }
        cursor = page.nextCursor ?? undefined
      } while (cursor !== undefined)
      return { entries }
    })
}

const circle = ({ lat, lon, radiusM }: Circle): Effect.Effect<Circle, Invalid> =>
  Effect.all({
    lat: valid(Latitude, "lat", lat),
    lon: valid(Longitude, "lon", lon),
    radiusM: valid(RadiusM, "radius_m", radiusM)
  })

const moment = (at: number | null): Timestamp.Timestamp | null => (at === null ? null : Timestamp.make(at))
