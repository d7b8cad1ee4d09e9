package dev.skipjack.api.operations;

/**
 * An action that resolves a finding, given both as a command and as a call from Java.
 *
 * @param command a shell command; for settings of the server, an SQL statement; or an instruction
 *     if no command has the effect, for example to start a worker
 * @param call the call on the {@code queue}, or the change in the application that has the same
 *     effect
 */
public record Fix(String command, String call) {}
