import type { WebhookSender } from "@place-access/domain/endpoints"
import { Data, Imports, Stores, Webhooks } from "@place-access/worker"
import { Duration, Layer } from "effect"
import type * as Listener from "./http/Listener.js"
import type { ServerSettings } from "./ServerSettings.js"

const PROGRAM = "place-access server"

/**
 * How a server opens the database. A server waits for the database without a limit: if the server ended, a supervisor
 * would only restart it.
 */
export const ofServer = ({ onMissing }: Pick<Listener.HttpListener, "onMissing">): Data.Opening => ({
  patience: Duration.infinity,
  onMissing
})

/** The database with the current schema, and the keys that encrypt values in it. */
export const database = (settings: Pick<ServerSettings, "storage">, opening: Data.Opening) =>
  Data.withKeys(settings.storage, PROGRAM, opening)

/** The adapters of the stores, the import reader and the webhook sender, over the database of the settings. */
export const layer = (settings: Pick<ServerSettings, "storage" | "webhooks">, opening: Data.Opening) =>
  layerOver(Stores.layer, Webhooks.layer(settings.webhooks), settings, opening)

/** Makes the same ports as `layer`, but over the stores and the sender of webhooks that the caller passes. */
export const layerOver = (
  stores: Layer.Layer<Stores.Stores, never, Stores.StorePorts>,
  sender: Layer.Layer<WebhookSender>,
  settings: Pick<ServerSettings, "storage">,
  opening: Data.Opening
) => Layer.mergeAll(stores, Imports.layer, sender).pipe(Layer.provideMerge(database(settings, opening)))
