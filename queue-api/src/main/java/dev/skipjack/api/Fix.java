package dev.skipjack.api;

/**
 * An action that resolves a finding, given both as a command and as a call from Java.
 *
 * @param command a shell command or, for settings of the server, an SQL statement
 * @param call the call on the {@code queue}, or the change in the application that has the same
 *     effect
 */
public record Fix(String command, String call) {}
