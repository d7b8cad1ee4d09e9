package dev.skipjack.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * The settings of a dashboard.
 *
 * @param access decides who may use the dashboard
 * @param isGuarded whether an access rule or a token was set
 * @param login the login by token; null if there is none
 * @param hosts the names by which the dashboard may be requested; null for any
 * @param payloads the masked fields
 * @param environment the name of the environment; null if there is none
 * @param colour the colour of that name
 */
record Settings(
    AccessRule access,
    boolean isGuarded,
    @Nullable Login login,
    @Nullable HostNames hosts,
    PayloadView payloads,
    @Nullable String environment,
    EnvironmentColour colour) {}
