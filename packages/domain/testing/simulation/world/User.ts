import { Effect } from "effect"
import type { Ended, Name, Operation, PauseLength } from "../Operations.js"
import * as Phone from "./Phone.js"
import type { NotDone, Stage } from "./Stage.js"

export interface PlaceDraft {
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly radiusM?: number | undefined
  readonly kind?: string | undefined
}

export interface Place {
  readonly label: string
  readonly lat: number
  readonly lon: number
  readonly radiusM: number
  readonly kind: string
  readonly id: string
}

/** A connection, as the user sees it in the portal. */
interface Connected {
  readonly id: string
}

type SteeringTerms = Pick<Operation<"changeConnection">["args"], "scopes" | "standardDays" | "sensitiveDays">

/** A person with places and phones. */
export class User {
  readonly id: string
  readonly name: string
  private readonly world: Stage

  constructor(world: Stage, id: string, name: string) {
    this.world = world
    this.id = id
    this.name = name
  }

  private do<N extends Name>(name: N, args: Operation<N>["args"]): Effect.Effect<Operation<N>["value"], NotDone> {
    return this.world.do(name, args, this.name)
  }

  /** Creates a place of the user. The default radius is 150 m. */
  place({ kind = "other", label, lat, lon, radiusM = 150 }: PlaceDraft): Effect.Effect<Place, NotDone> {
    return Effect.map(this.do("createPlace", { userId: this.id, label, kind, lat, lon, radiusM }), ({ placeId }) => ({
      id: placeId,
      label,
      kind,
      lat,
      lon,
      radiusM
    }))
  }

  /** Renames, moves or resizes a place; returns the place after the change. */
  change(place: Place, edit: Partial<PlaceDraft>): Effect.Effect<Place, NotDone> {
    const changed: Place = {
      ...place,
      label: edit.label ?? place.label,
      kind: edit.kind ?? place.kind,
      lat: edit.lat ?? place.lat,
      lon: edit.lon ?? place.lon,
      radiusM: edit.radiusM ?? place.radiusM
    }
    const { id: placeId, kind, label, lat, lon, radiusM } = changed
    return Effect.as(this.do("updatePlace", { userId: this.id, placeId, label, kind, lat, lon, radiusM }), changed)
  }

  /** Archives a place. Apps cannot ask about it any more, but earlier visits at the place stay visible. */
  archive(place: Place): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("archivePlace", { userId: this.id, placeId: place.id }))
  }

  /** Adds a phone. The phone is online. */
  phone(name = "phone"): Effect.Effect<Phone.Phone, NotDone> {
    return Effect.map(
      this.do("addDevice", { userId: this.id, name }),
      ({ deviceId }) => new Phone.Phone(this.world, { userId: this.id, deviceId, actor: this.name })
    )
  }

  /** Replaces the list of places that the user shares with the app. */
  share(
    connection: Connected,
    places: ReadonlyArray<Place>,
    includeEarlierVisits = false
  ): Effect.Effect<void, NotDone> {
    const chosen = places.map(({ id }) => ({ placeId: id, includeEarlierVisits }))
    const { id: connectionId } = connection
    return Effect.asVoid(this.do("sharePlaces", { userId: this.id, connectionId, places: chosen }))
  }

  /** Ends the connection in the portal. */
  disconnect(connection: Connected): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("disconnect", { userId: this.id, connectionId: connection.id }))
  }

  /** Pauses an app. During the pause, no answer says where the user is or was, and none of the app's rules fires. */
  pause(connection: Connected, length: PauseLength = "until_resumed"): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("pauseConnection", { userId: this.id, connectionId: connection.id, length }))
  }

  /** Ends the pause of an app. */
  resume(connection: Connected): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("resumeConnection", { userId: this.id, connectionId: connection.id }))
  }

  /** Takes all sensitive scopes away from an app. The change takes effect immediately. */
  endExactLocation(connection: Connected): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("endExactLocation", { userId: this.id, connectionId: connection.id }))
  }

  /**
   * Changes the permissions and end dates of a connection; a field that is left out keeps its value. Returns the
   * outcome, because the service may refuse the change.
   */
  steer(connection: Connected, change: Partial<SteeringTerms>): Effect.Effect<Ended<"changeConnection">> {
    const terms = { scopes: null, standardDays: null, sensitiveDays: null, ...change }
    return this.world.perform("changeConnection", { userId: this.id, connectionId: connection.id, ...terms }, this.name)
  }

  /** Deletes the user's history from the time `from` until just before `until`, both in milliseconds since 1970. */
  erase(from: number, until: number): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("eraseHistory", { userId: this.id, from, until }))
  }

  /**
   * Imports a file that has these readings, and `wrong` further lines that the service cannot read. Returns the id of
   * the import.
   */
  importFile(
    readings: Operation<"importFile">["args"]["readings"],
    { wrong = 0 }: { readonly wrong?: number } = {}
  ): Effect.Effect<string, NotDone> {
    return Effect.map(this.do("importFile", { userId: this.id, readings, wrong }), ({ importId }) => importId)
  }

  /**
   * Starts to undo an import. A worker then deletes the import and the readings that the import stored. Readings that
   * another import also contained stay.
   */
  undoImport(importId: string): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("undoImport", { userId: this.id, importId }))
  }

  get imports(): Effect.Effect<Operation<"readImports">["value"]["imports"], NotDone> {
    return Effect.map(this.do("readImports", { userId: this.id }), ({ imports }) => imports)
  }

  /** Reads the user's own visits and readings. */
  get history(): Effect.Effect<Operation<"readOwnHistory">["value"], NotDone> {
    return this.do("readOwnHistory", { userId: this.id })
  }

  /** Removes an app's rule in the portal. */
  removeRule(connection: Connected, ruleId: string): Effect.Effect<void, NotDone> {
    return Effect.asVoid(this.do("removeRuleOfUser", { userId: this.id, connectionId: connection.id, ruleId }))
  }

  get accessLog(): Effect.Effect<Operation<"readAccessLog">["value"]["entries"], NotDone> {
    return Effect.map(this.do("readAccessLog", { userId: this.id }), ({ entries }) => entries)
  }
}

export const make = (world: Stage, name: string, roles: ReadonlyArray<string>): Effect.Effect<User, NotDone> =>
  Effect.map(
    world.do("signUp", { email: `${name}@people.example`, roles }, name),
    ({ userId }) => new User(world, userId, name)
  )
