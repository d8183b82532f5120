/**
 * Workers look every few minutes for devices whose stays are due. A program of an earlier release marks a device that
 * reports visits with `sends_visits`. Without an index of the marked devices, PostgreSQL read the whole table.
 */
export const statements = [`CREATE INDEX devices_visited ON devices (user_id, device_id) WHERE sends_visits`]
