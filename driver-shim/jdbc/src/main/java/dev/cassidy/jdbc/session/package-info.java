/** How a connection reaches the cluster: the URL and its options, TLS, the driver's session that connections share, and the tables that it knows. */
@NullMarked
package dev.cassidy.jdbc.session;

import org.jspecify.annotations.NullMarked;
