/**
 * Web pages for operators. A {@link dev.skipjack.dashboard.Dashboard} is a function from a request
 * to a response. {@link dev.skipjack.dashboard.DashboardServer} connects it to the HTTP server of
 * the JDK, {@link dev.skipjack.dashboard.DashboardServlet} to a servlet container.
 *
 * <p>A request passes through {@code Gate}, which identifies the user and checks whether this user
 * may use the route, an entry of the table {@code Routes}. The route's screen reads a model through
 * {@code Reads}, which runs each query once for all viewers and within a time limit. The model
 * contains only what the viewer may see. It is rendered as a page or as JSON. The pages work
 * without JavaScript.
 */
@NullMarked
package dev.skipjack.dashboard;

import org.jspecify.annotations.NullMarked;
