package dev.skipjack.dashboard;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * An entry of the route table: which requests it takes, who may send them, and what responds to
 * them. A route cannot be created without a role. Requests with POST need the token of a form.
 *
 * @param method GET or POST
 * @param path the path, in which {@code {id}} stands for a number
 * @param role the least role that may use the route
 * @param everyQueue whether only users who see all queues may use it
 * @param handler responds to a request that is allowed
 */
record Route(
    String method, String path, Role role, boolean everyQueue, Function<Visit, Response> handler) {

  static final String GET = "GET";
  static final String POST = "POST";

  /** Returns the route of a page. */
  static <M extends Record> Route page(String path, Role role, Screen<M> screen) {
    return new Route(
        GET,
        path,
        role,
        isForEveryQueue(path, screen),
        visit -> Response.html(200, Layout.page(screen, screen.read(visit), visit)));
  }

  /** Returns the route of a page's model as JSON. */
  static <M extends Record> Route json(String path, Screen<M> screen) {
    return new Route(
        GET,
        jsonPath(path),
        Role.VIEWER,
        isForEveryQueue(path, screen),
        visit -> Response.json(200, Json.of(screen.read(visit))));
  }

  /** Returns the path of a page's model as JSON. */
  static String jsonPath(String path) {
    return Visit.API + "v1" + (path.equals("/") ? "/now" : path);
  }

  private static boolean isForEveryQueue(String path, Screen<?> screen) {
    return screen.nav().isForEveryQueue() && path.startsWith(screen.nav().path());
  }

  /** Returns the route of a change, which then shows the page at the returned address. */
  static Route change(String path, Role role, boolean everyQueue, Function<Visit, Link> change) {
    return new Route(
        POST,
        path,
        role,
        everyQueue,
        visit -> {
          Link next = change.apply(visit);
          visit.services().reads().refresh();
          return Response.seeOther(next.text());
        });
  }

  /** Returns the variable parts of a path that belongs to this route, or empty. */
  Optional<Map<String, String>> matches(String requested) {
    List<String> expected = List.of(path.split("/", -1));
    List<String> given = List.of(requested.split("/", -1));
    if (expected.size() != given.size()) {
      return Optional.empty();
    }
    Map<String, String> parts = new HashMap<>();
    for (int i = 0; i < expected.size(); i++) {
      if (expected.get(i).equals("{id}") && given.get(i).matches("-?[0-9]{1,19}")) {
        parts.put("id", given.get(i));
      } else if (!expected.get(i).equals(given.get(i))) {
        return Optional.empty();
      }
    }
    return Optional.of(parts);
  }
}
