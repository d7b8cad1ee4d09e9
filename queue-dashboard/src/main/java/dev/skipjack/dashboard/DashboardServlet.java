package dev.skipjack.dashboard;

import static java.nio.charset.StandardCharsets.UTF_8;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.security.Principal;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves a dashboard in a servlet container, below any path: map it to {@code /skipjack/*}, for
 * example. Its access rule finds the user whom the container has authenticated in {@link
 * Request#user}.
 *
 * <p>A dashboard without an access rule and without a token responds only to requests of this
 * machine. It recognizes requests that a proxy on this machine passes on by the headers that
 * proxies add, and by the original Host header, if the proxy sends one of these.
 */
public final class DashboardServlet extends HttpServlet {

  private static final long serialVersionUID = 1L;

  private static final int LARGEST_FORM = 1 << 20;

  /** Serves the requests. Containers do not serialize servlets. */
  @SuppressWarnings("serial")
  private final Dashboard dashboard;

  /**
   * Creates a servlet.
   *
   * @param dashboard the dashboard
   */
  public DashboardServlet(Dashboard dashboard) {
    this.dashboard = dashboard;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Response result;
    try {
      result = respond(request);
    } catch (Refusal refusal) {
      result = Response.plain(refusal.status(), refusal.sentence());
    }
    response.setStatus(result.status());
    result.headers().forEach(header -> response.addHeader(header.name(), header.value()));
    byte[] body = result.body();
    if (body.length > 0) {
      response.setContentLength(body.length);
      response.getOutputStream().write(body);
    }
  }

  private Response respond(HttpServletRequest request) throws IOException {
    if (!dashboard.isGuarded()
        && !LocalRequests.isLocal(request.getRemoteAddr(), request::getHeader)) {
      return Response.plain(
          403,
          "The dashboard has no access rule, so it responds only to requests of its own machine.");
    }
    String path = request.getPathInfo();
    if (path == null && request.getServletPath().isEmpty()) {
      path = "/";
    }
    if (path == null) {
      // Without the slash, relative addresses would lead out of the dashboard.
      String mount = request.getServletPath();
      return Response.seeOther(mount.substring(mount.lastIndexOf('/') + 1) + "/");
    }
    Principal user = request.getUserPrincipal();
    return dashboard.handle(
        new Request(
            request.getMethod(),
            path,
            headers(request),
            Parameters.of(request.getQueryString()),
            form(request),
            user == null ? null : user.getName(),
            request::isUserInRole,
            request.isSecure()));
  }

  private static Map<String, List<String>> headers(HttpServletRequest request) {
    Map<String, List<String>> headers = new LinkedHashMap<>();
    for (String name : Collections.list(request.getHeaderNames())) {
      headers.put(name, Collections.list(request.getHeaders(name)));
    }
    return headers;
  }

  /**
   * Returns the parameters of a form. If a filter of the application has already read the body, the
   * container has them.
   */
  private static Map<String, List<String>> form(HttpServletRequest request) throws IOException {
    if (!isForm(request.getContentType())) {
      return Map.of();
    }
    byte[] body = request.getInputStream().readNBytes(LARGEST_FORM + 1);
    if (body.length > LARGEST_FORM) {
      throw new Refusal(413, "The form is too large.");
    }
    if (body.length > 0) {
      return Parameters.of(new String(body, UTF_8));
    }
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    request.getParameterMap().forEach((name, values) -> parameters.put(name, List.of(values)));
    return parameters;
  }

  private static boolean isForm(@Nullable String type) {
    return type != null && type.startsWith("application/x-www-form-urlencoded");
  }
}
