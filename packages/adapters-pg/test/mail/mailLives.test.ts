import { describe } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"
import { mailLivesOn } from "../support/mailLives.js"

describe("generated lives of the outbox on the embedded database", () => mailLivesOn(migratedEmbedded, 25))
