# The command unprior, with all formats of files:
#   docker build -t unprior .
#   docker run --rm -v "$PWD:/data" unprior embed birds.csv --prior species --out map.csv
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir "$(echo /wheels/unprior-*.whl)[io,excel,anndata,tree]" && rm -r /wheels
# Compiled loops are kept where any user can write.
ENV NUMBA_CACHE_DIR=/tmp/numba MPLBACKEND=agg
RUN useradd --create-home unprior && mkdir /data && chown unprior /data
USER unprior
WORKDIR /data
ENTRYPOINT ["unprior"]
CMD ["--help"]
