package dev.skipjack.dashboard;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Responds to requests: identifies the user, finds the route, checks whether the user may use it,
 * and adds the headers that protect the pages. Throws no exceptions. Thread-safe.
 */
final class Gate {

  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

  private static final int LONGEST_PATH = 2_000;

  private static final List<Response.Header> PROTECTION =
      List.of(
          new Response.Header(
              "Content-Security-Policy",
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                  + " connect-src 'self'; form-action 'self'; base-uri 'none';"
                  + " frame-ancestors 'none'"),
          new Response.Header("X-Content-Type-Options", "nosniff"),
          new Response.Header("X-Frame-Options", "DENY"),
          // With no-referrer, browsers would send forms with "Origin: null".
          new Response.Header("Referrer-Policy", "same-origin"),
          new Response.Header("Cross-Origin-Opener-Policy", "same-origin"),
          new Response.Header("Cross-Origin-Resource-Policy", "same-origin"),
          new Response.Header(
              "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"));

  private final Services services;
  private final List<Route> routes;

  Gate(Services services, List<Route> routes) {
    this.services = services;
    this.routes = routes;
  }

  Response respond(Request request) {
    Request read = request.method().equals("HEAD") ? asGet(request) : request;
    Response response;
    try {
      response = route(read);
    } catch (Refusal refusal) {
      response = refused(read, refusal.status(), refusal.sentence());
    } catch (StoreException failure) {
      LOG.warn("Dashboard change failed path={}", safe(read), failure);
      response = refused(read, 503, unavailable(failure));
    } catch (IllegalArgumentException | QueueException rejected) {
      response = refused(read, 400, String.valueOf(rejected.getMessage()));
    } catch (Throwable failure) {
      LOG.error("Dashboard request failed path={}", safe(read), failure);
      response = refused(read, 500, "The dashboard failed; its log says why.");
    }
    Response complete = withTag(read, response);
    List<Response.Header> headers = new ArrayList<>(complete.headers());
    headers.addAll(PROTECTION);
    if (headers.stream().noneMatch(header -> header.name().equals("Cache-Control"))) {
      headers.add(new Response.Header("Cache-Control", "no-store"));
    }
    Response guarded = new Response(complete.status(), headers, complete.body());
    return request.method().equals("HEAD") ? guarded.withoutBody() : guarded;
  }

  private static Request asGet(Request head) {
    return new Request(
        Route.GET,
        head.path(),
        head.headers(),
        head.query(),
        head.form(),
        head.user(),
        head.roles(),
        head.secure());
  }

  private static String unavailable(StoreException failure) {
    return failure.isOutcomeUnknown()
        ? "The database did not respond. The change may have taken effect; look before you repeat"
            + " it."
        : "The database could not be reached or rejected the change. Nothing was changed.";
  }

  private Response route(Request request) {
    HostNames hosts = services.settings().hosts();
    if (hosts != null && !hosts.accept(request.header("Host").orElse(""))) {
      throw Refusal.forbidden(HostNames.REFUSED);
    }
    if (!request.path().startsWith("/") || request.path().length() > LONGEST_PATH) {
      throw Refusal.notFound("There is no such page.");
    }
    Optional<Response> asset = Assets.at(request);
    if (asset.isPresent()) {
      return asset.get();
    }
    Login login = services.settings().login();
    if (login != null && request.path().equals(Login.PATH)) {
      return login(login, request);
    }
    Optional<Access> access = accessOf(request);
    if (access.isEmpty()) {
      return unknownUser(login, request);
    }
    return allowed(request, access.get());
  }

  /**
   * The exception of an access rule may contain secrets, and the reader of the page has not been
   * identified.
   */
  private Optional<Access> accessOf(Request request) {
    try {
      return services.settings().access().of(request);
    } catch (Throwable failure) {
      LOG.error("Dashboard access rule failed path={}", safe(request), failure);
      throw new Refusal(500, "The dashboard failed; its log says why.");
    }
  }

  private Response allowed(Request request, Access access) {
    List<Route> here =
        routes.stream().filter(route -> route.matches(request.path()).isPresent()).toList();
    if (here.isEmpty()) {
      throw Refusal.notFound("There is no such page.");
    }
    Route route =
        here.stream().filter(one -> one.method().equals(request.method())).findFirst().orElse(null);
    if (route == null) {
      return refused(request, 405, "This address does not take this method.")
          .with("Allow", here.stream().map(Route::method).collect(Collectors.joining(", ")));
    }
    if (!access.may(route.role())) {
      throw Refusal.forbidden(
          "This needs the role %s.".formatted(route.role().name().toLowerCase(Locale.ROOT)));
    }
    if (route.everyQueue() && !access.seesEverything()) {
      throw Refusal.forbidden("This is only for users who may see all queues.");
    }
    Session session = Session.of(request);
    if (!route.method().equals(Route.GET)) {
      String reason = session.refuses(request, services.signer(), access.user());
      if (reason != null) {
        throw Refusal.forbidden(reason);
      }
    }
    Map<String, String> parts = route.matches(request.path()).orElse(Map.of());
    Visit visit = new Visit(request, access, session, parts, services.clock().instant(), services);
    Response response = route.handler().apply(visit);
    return session.isNew()
        ? response.with("Set-Cookie", session.cookie(request.secure()))
        : response;
  }

  private Response login(Login login, Request request) {
    Optional<String> given =
        request.method().equals(Route.POST) ? request.field("token") : request.parameter("token");
    if (given.isPresent() && login.accepts(given.get())) {
      return Response.seeOther("./").with("Set-Cookie", login.cookie(request.secure()));
    }
    return Response.html(
        given.isPresent() ? 401 : 200,
        Layout.plain(
            "Log in", request, services.settings().environment(), Login.page(given.isPresent())));
  }

  private Response unknownUser(@Nullable Login login, Request request) {
    if (login == null) {
      throw Refusal.forbidden("You may not use this dashboard.");
    }
    if (isForPrograms(request) || !request.method().equals(Route.GET)) {
      return refused(request, 401, "Log in, or send the token as a bearer token.")
          .with("WWW-Authenticate", "Bearer");
    }
    return Response.seeOther(Link.of(Visit.depth(request.path()), Login.PATH).text());
  }

  private static boolean isForPrograms(Request request) {
    return request.path().startsWith(Visit.API);
  }

  /** Returns the page that says why a request was refused. */
  private Response refused(Request request, int status, String sentence) {
    if (isForPrograms(request)) {
      return Response.json(status, Json.of(Map.of("error", sentence)));
    }
    return Response.html(
        status,
        Layout.plain(
            heading(status),
            request,
            services.settings().environment(),
            Html.tag("section")
                .style("card refusal")
                .add(
                    Html.tag("h1", heading(status)),
                    Html.tag("p", sentence),
                    Html.tag("p")
                        .add(
                            Ui.buttonLink(
                                Link.of(Visit.depth(request.path()), "/"),
                                "To the first page",
                                "")))));
  }

  private static String heading(int status) {
    return switch (status) {
      case 400 -> "This input cannot be used";
      case 401 -> "Please log in";
      case 403 -> "Not allowed";
      case 404 -> "Not found";
      case 405 -> "Not possible";
      case 503 -> "The database is unavailable";
      default -> "Something went wrong";
    };
  }

  /**
   * Adds an ETag to a page. If the browser has the page already, returns a short response instead.
   */
  private static Response withTag(Request request, Response response) {
    if (response.status() != 200 || !request.method().equals(Route.GET)) {
      return response;
    }
    String tag =
        '"'
            + Integer.toHexString(Arrays.hashCode(response.body()))
            + '-'
            + response.body().length
            + '"';
    return request.header("If-None-Match").filter(tag::equals).isPresent()
        ? new Response(304, response.headers(), new byte[0]).with("ETag", tag)
        : response.with("ETag", tag);
  }

  /** Returns the path for the log, without characters that could forge a line. */
  private static String safe(Request request) {
    String path = request.path().replaceAll("[^\\x21-\\x7e]", "?");
    return path.substring(0, Math.min(200, path.length()));
  }
}
