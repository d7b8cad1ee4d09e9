package dev.skipjack.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends requests of every role to every route, as {@link Routes} lists them. */
@QueueTest
class AccessMatrixTest {

  private static final int FORBIDDEN = 403;

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private static String address(Route route) {
    return route.path().replace("{id}", "1");
  }

  private Response get(Route route, String access) {
    return fixture.browser(access).get(address(route));
  }

  /** Sends a form with the token of the route. */
  private Response post(Route route, String access) {
    Browser browser = fixture.browser(access);
    // The browser gets its session with a page, and every user may open this one.
    browser.page("/operations");
    return browser.send("POST", address(route), Map.of());
  }

  private static Stream<Route> routes(String method) {
    return Routes.all().stream().filter(route -> route.method().equals(method));
  }

  /** A new route needs a role, and an entry here. */
  @Test
  void changesNeedTheseRoles() {
    assertThat(
            routes("POST")
                .collect(
                    Collectors.groupingBy(
                        Route::role, Collectors.mapping(Route::path, Collectors.toList()))))
        .isEqualTo(
            Map.of(
                Role.VIEWER,
                List.of("/theme", "/logout"),
                Role.OPERATOR,
                List.of(
                    "/jobs/{id}/cancel",
                    "/jobs/{id}/redrive",
                    "/jobs/{id}/run-now",
                    "/queue/pause",
                    "/queue/resume",
                    "/keys/unblock",
                    "/groups/pause",
                    "/groups/resume",
                    "/schedules/pause",
                    "/schedules/resume",
                    "/schedules/fire",
                    "/outbox/redrive",
                    "/outbox/unblock",
                    "/operations",
                    "/operations/{id}/stop",
                    "/operations/{id}/continue"),
                Role.ADMIN,
                List.of(
                    "/new",
                    "/jobs/{id}/edit",
                    "/jobs/{id}/prune",
                    "/queue/settings",
                    "/limits/set",
                    "/limits/remove",
                    "/limits/reset",
                    "/groups/settings")));
  }

  @Test
  void theseRoutesAreOnlyForUsersWhoSeeAllQueues() {
    assertThat(Routes.all().stream().filter(Route::everyQueue).map(Route::path))
        .containsExactlyInAnyOrder(
            "/outbox",
            "/api/v1/outbox",
            "/doctor",
            "/api/v1/doctor",
            "/outbox/redrive",
            "/outbox/unblock",
            "/limits/set",
            "/limits/remove",
            "/limits/reset");
  }

  @Test
  void usersMayReadWhatConcernsTheirQueues() {
    routes("GET")
        .filter(route -> route.role() == Role.VIEWER)
        .forEach(
            route -> {
              assertThat(get(route, Fixture.VIEWER).status()).as("%s", route).isIn(200, 404);
              int ofSome = get(route, "carl viewer emails").status();
              if (route.everyQueue()) {
                assertThat(ofSome).as("%s", route).isEqualTo(FORBIDDEN);
              } else {
                assertThat(ofSome).as("%s", route).isIn(200, 404);
              }
            });
  }

  @Test
  void pagesOfChangesAreForThoseWhoMayMakeThem() {
    assertThat(routes("GET").filter(route -> route.role() != Role.VIEWER).map(Route::path))
        .containsExactlyInAnyOrder("/preview", "/new");
    assertThat(fixture.browser(Fixture.VIEWER).get("/preview").status()).isEqualTo(FORBIDDEN);
    assertThat(fixture.browser(Fixture.OPERATOR).get("/new").status()).isEqualTo(FORBIDDEN);
    assertThat(fixture.browser("bert admin *").get("/new").status()).isEqualTo(FORBIDDEN);
    assertThat(fixture.browser(Fixture.ADMIN).get("/new").status()).isEqualTo(200);
  }

  @Test
  void usersWithoutTheRoleCannotChangeAnything() {
    routes("POST")
        .forEach(
            route ->
                Stream.of(Role.values())
                    .filter(role -> !role.includes(route.role()))
                    .forEach(
                        role -> {
                          Response response =
                              post(route, "x " + role.name().toLowerCase(Locale.ROOT) + " *");
                          assertThat(response.status())
                              .as("%s %s", role, route)
                              .isEqualTo(FORBIDDEN);
                          assertThat(response.text()).contains("needs the role");
                        }));
  }

  @Test
  void changesWithoutATokenAreRefused() {
    routes("POST")
        .forEach(
            route -> {
              Response response = post(route, Fixture.ADMIN);
              assertThat(response.status()).as("%s", route).isEqualTo(FORBIDDEN);
              assertThat(response.text()).contains("The form has expired");
            });
  }

  @Test
  void requestsOfUnknownUsersAreRefused() {
    Browser unknown = fixture.browser("").header("x-access", null);

    Routes.all()
        .forEach(
            route ->
                assertThat(unknown.send(route.method(), address(route), Map.of()).status())
                    .as("%s", route)
                    .isEqualTo(FORBIDDEN));
  }

  @Test
  void routesTakeOnlyTheirMethod() {
    Browser admin = fixture.browser(Fixture.ADMIN);

    for (Route route : Routes.all()) {
      for (String method : List.of("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get")) {
        assertThat(admin.send(method, address(route), Map.of()).status())
            .as("%s %s", method, route)
            .isEqualTo(405);
      }
    }
  }

  @Test
  void previewsNeedTheRoleOfTheirAction() {
    assertThat(fixture.browser(Fixture.VIEWER).get("/preview?action=redrive").status())
        .isEqualTo(FORBIDDEN);
    assertThat(fixture.browser(Fixture.OPERATOR).get("/preview?action=redrive").status())
        .isEqualTo(200);
    assertThat(fixture.browser(Fixture.OPERATOR).get("/preview?action=prune").status())
        .isEqualTo(FORBIDDEN);
    assertThat(fixture.browser(Fixture.ADMIN).get("/preview?action=prune").status()).isEqualTo(200);
  }

  @Test
  void everyResponseForbidsScriptsOfOthersAndFrames() {
    Browser browser = fixture.browser(Fixture.VIEWER);

    for (String address : List.of("/", "/none", "/assets/dashboard.css", "/api/v1/jobs", "x")) {
      assertThat(browser.get(address.startsWith("/") ? address : "/" + address).headers())
          .as(address)
          .contains(
              new Response.Header("X-Content-Type-Options", "nosniff"),
              new Response.Header("X-Frame-Options", "DENY"),
              new Response.Header("Referrer-Policy", "same-origin"))
          .anyMatch(
              header ->
                  header.name().equals("Content-Security-Policy")
                      && header.value().startsWith("default-src 'none'; script-src 'self';")
                      && header.value().contains("frame-ancestors 'none'"));
    }
  }
}
