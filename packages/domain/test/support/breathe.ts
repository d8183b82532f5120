import { beforeEach } from "vitest"
import { breath } from "./breath.js"

/**
 * Vitest gives a worker up when no message comes from it for a minute. Thousands of properties in a row leave no moment
 * for a message on a busy machine, so each test begins with one.
 */
beforeEach(breath)
