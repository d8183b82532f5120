import { beforeEach } from "vitest"
import { breath } from "./breath.js"

/**
 * Vitest gives a worker up when the worker sends no message for a minute. On a busy machine thousands of properties in
 * a row leave no time for messages, so each test begins with a pause in which messages are sent.
 */
beforeEach(breath)
