# rewardlab with the engine trl, for one machine, CPU or GPU. From the root of the repository:
#   docker build -f docker/trl.Dockerfile -t rewardlab-trl .                                       (packages: 5.2 GB; for CPUs 2 GB, see below)
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" rewardlab-trl run quickstart
#   docker run --rm --gpus all -v "$PWD:/work" --user "$(id -u):$(id -g)" rewardlab-trl run mine.yaml
# `docker stop` ends a run as Ctrl-C does, with a checkpoint; give it the time for one: `docker stop --time 120`.
FROM python:3.12-slim

# Without a GPU: --build-arg TORCH="--index-url ADDRESS", the address of PyTorch's wheels for CPUs.
ARG TORCH=""
COPY requirements.txt requirements.lock requirements-build.txt /rewardlab/
RUN pip install --no-cache-dir $TORCH "$(grep '^torch==' /rewardlab/requirements.txt)"

COPY pyproject.toml README.md LICENSE CHANGELOG.md /rewardlab/
COPY core /rewardlab/core
COPY recipes /rewardlab/recipes
COPY plugins /rewardlab/plugins
# the versions that the tests know, and ours as packages, not as links into this folder
RUN cd /rewardlab && pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock \
 && pip install --no-cache-dir -r requirements-build.txt \
 && pip wheel --no-cache-dir --no-deps --no-build-isolation -w /wheels . ./core ./plugins/*/* \
 && ls /wheels/*.whl | sed -E 's|^/wheels/([a-z_]+)-.*|\1 @ file://&|' > /wheels/ours.txt \
 && pip install --no-cache-dir --no-index -c /wheels/ours.txt "$(ls /wheels/rewardlab-*)[comet,embed,reward-model,trl]" \
 && rm -r /wheels \
 && rewardlab check quickstart

# Any user may run it: what it keeps goes to /work, and caches to a folder that everybody may write.
ENV HOME=/tmp/home XDG_CACHE_HOME=/cache
RUN mkdir -p /tmp/home /cache /work && chmod 1777 /tmp/home /cache /work
WORKDIR /work
ENTRYPOINT ["rewardlab"]
CMD ["--help"]
