/** How statements are served, for readers: what SET SHOWPLAN_TEXT, {@code unwrap} and the assessment show. */
@NullMarked
package dev.cassidy.jdbc.plan;

import org.jspecify.annotations.NullMarked;
